#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"
#include "poet/runtime/conv.h"

namespace poet {
namespace {

using testing::float32;
using testing::gradient_types;
using testing::operation;
using testing::outcome;

// 2 channels in, 4 out, two groups; 3 x 2 windows.
const WindowAttributes kWindow{.kernel = {3, 2},
                               .stride = {2, 1},
                               .padding_begin = {1, 0},
                               .padding_end = {0, 1},
                               .dilation = {1, 2},
                               .groups = 2};
const TensorType kX = float32({5, 2, 8, 6});
const TensorType kWeights = float32({4, 1, 3, 2});

WindowAttributes plain(std::size_t spatial, std::int64_t kernel) {
  return {.kernel = std::vector<std::int64_t>(spatial, kernel),
          .stride = std::vector<std::int64_t>(spatial, 1),
          .padding_begin = std::vector<std::int64_t>(spatial, 0),
          .padding_end = std::vector<std::int64_t>(spatial, 0),
          .dilation = std::vector<std::int64_t>(spatial, 1)};
}

std::string conv_refusal(const WindowAttributes& window, const std::vector<TensorType>& inputs) {
  return outcome(Operator::Conv, window, inputs);
}

TEST(Conv, CountsThePlacesOfItsWindow) {
  // Height: (8 + 1 - 3) / 2 + 1 = 4; width: 6 + 1 - (2 * 1 + 1) + 1 = 5.
  EXPECT_EQ(operation(Operator::Conv, kWindow, {kX, kWeights}).outputs[0], float32({5, 4, 4, 5}));
  EXPECT_EQ(
      operation(Operator::Conv, plain(1, 3), {float32({1, 2, 3}), float32({7, 2, 3})}).outputs[0],
      float32({1, 7, 1}));
  EXPECT_EQ(
      operation(Operator::Conv, plain(3, 1), {float32({1, 2, 3, 4, 5}), float32({7, 2, 1, 1, 1})})
          .outputs[0],
      float32({1, 7, 3, 4, 5}));
}

TEST(Conv, RefusesOtherAttributesElementsAndRanks) {
  EXPECT_EQ(outcome(Operator::Conv, {}, {kX, kWeights}),
            "takes the attributes of a window, and has none or others");
  EXPECT_EQ(conv_refusal(kWindow, {{ElementType::Uint8, {5, 2, 8, 6}}, kWeights}),
            "takes float32 values, not uint8 (5, 2, 8, 6)");
  EXPECT_EQ(conv_refusal(plain(0, 1), {float32({5, 2}), float32({4, 2})}),
            "takes (N, C) and 1 to 3 spatial dimensions, not (5, 2)");
  EXPECT_EQ(conv_refusal(plain(4, 1), {float32({1, 1, 1, 1, 1, 1}), float32({1, 1, 1, 1, 1, 1})}),
            "takes (N, C) and 1 to 3 spatial dimensions, not (1, 1, 1, 1, 1, 1)");
  EXPECT_EQ(conv_refusal(plain(2, 1), {float32({1, 1, 1, 1}), float32({1, 1, 1})}),
            "the weights must have as many dimensions as the input (1, 1, 1, 1), not (1, 1, 1)");
}

TEST(Conv, RefusesListsOfAnotherLengthOrOutOfRange) {
  WindowAttributes window = kWindow;
  window.kernel = {3};
  EXPECT_EQ(conv_refusal(window, {kX, kWeights}), "kernel has 1 values, not 2");
  window = kWindow;
  window.stride = {1, 0};
  EXPECT_EQ(conv_refusal(window, {kX, kWeights}), "stride must be from 1 to 2147483647, not 0");
  window = kWindow;
  window.dilation = {0, 1};
  EXPECT_EQ(conv_refusal(window, {kX, kWeights}), "dilation must be from 1 to 2147483647, not 0");
  window = kWindow;
  window.padding_begin = {0, -1};
  EXPECT_EQ(conv_refusal(window, {kX, kWeights}),
            "padding_begin must be from 0 to 2147483647, not -1");
  window = kWindow;
  window.padding_end = {0, 2147483648};
  EXPECT_EQ(conv_refusal(window, {kX, kWeights}),
            "padding_end must be from 0 to 2147483647, not 2147483648");
  window = kWindow;
  window.groups = 0;
  EXPECT_EQ(conv_refusal(window, {kX, kWeights}), "groups must be from 1 to 2147483647, not 0");
  window = kWindow;
  window.round_up = true;
  EXPECT_EQ(conv_refusal(window, {kX, kWeights}), "round_up and counts_padding are for pools");
  window = kWindow;
  window.output_padding = {0, 0};
  EXPECT_EQ(conv_refusal(window, {kX, kWeights}), "output_padding is for conv_transpose");
}

TEST(Conv, RefusesWeightsThatDoNotFit) {
  EXPECT_EQ(conv_refusal(kWindow, {kX, float32({4, 1, 3, 3})}),
            "the kernel (3, 2) is not that of the weights, (4, 1, 3, 3)");
  EXPECT_EQ(conv_refusal(kWindow, {float32({5, 3, 8, 6}), kWeights}),
            "2 groups do not divide the 3 channels of the input");
  EXPECT_EQ(conv_refusal(kWindow, {kX, float32({5, 1, 3, 2})}),
            "2 groups do not divide the 5 channels of the output");
  EXPECT_EQ(conv_refusal(kWindow, {kX, float32({4, 2, 3, 2})}),
            "the weights (4, 2, 3, 2) are for 2 channels in a group, the input has 1");
  EXPECT_EQ(conv_refusal(kWindow, {kX, kWeights, float32({2})}),
            "the bias must be float32 (4), not float32 (2)");
  EXPECT_EQ(conv_refusal(kWindow, {float32({5, 2, 1, 6}), kWeights}),
            "the window reaches over 3 values of spatial dimension 0, which has only 2 with its "
            "padding");
}

TEST(Conv, RefusesWhat32BitsDoNotHold) {
  WindowAttributes window = plain(1, 1);
  window.padding_begin = {2147483647};
  EXPECT_EQ(conv_refusal(window, {float32({1, 1, 1}), float32({1, 1, 1})}),
            "spatial dimension 0 has more than 2147483647 values with its padding");
  window = plain(1, 1);
  window.stride = {2147483647};
  EXPECT_EQ(conv_refusal(window, {float32({1, 1, 4}), float32({1, 1, 1})}),
            "the window moves by 2147483647 in spatial dimension 0, which has 4 values with its "
            "padding: together these must be at most 2147483647");
  window = plain(2, 1);
  window.padding_begin = {1 << 30, 1 << 30};
  EXPECT_EQ(conv_refusal(window, {float32({1, 1, 1, 1}), float32({1, 1, 1, 1})}),
            "is too much work to count: (1, 1, 1073741825, 1073741825, 1, 1, 1) times");
}

TEST(Conv, CountsMultiplyAddsWithPaddingAndTheBias) {
  const OperationTypes types = operation(Operator::Conv, kWindow, {kX, kWeights, float32({4})});
  const std::int64_t products = 5 * 4 * 4 * 5 * 3 * 2;
  EXPECT_EQ(entry_of(Operator::Conv).flop(types), 2 * products + 5 * 4 * 4 * 5);
  EXPECT_EQ(entry_of(Operator::ConvInputGradient).flop(gradient_types(types, 0)), 2 * products);
  EXPECT_EQ(entry_of(Operator::ConvWeightGradient).flop(gradient_types(types, 1)), 2 * products);
  EXPECT_EQ(entry_of(Operator::ConvBiasGradient).flop(gradient_types(types, 2)), 5 * 4 * 4 * 5);
}

TEST(Conv, NeedsTheInputForTheWeightsAndTheWeightsForTheInput) {
  const OperationTypes types = operation(Operator::Conv, kWindow, {kX, kWeights, float32({4})});
  const std::vector<GradientPart> parts = entry_of(Operator::Conv).gradient(types);
  EXPECT_EQ(parts, (std::vector<GradientPart>{{.kind = Operator::ConvInputGradient,
                                               .attributes = kWindow,
                                               .operands = {OutputGradient{0}, ForwardInput{1}},
                                               .of_inputs = {0}},
                                              {.kind = Operator::ConvWeightGradient,
                                               .attributes = kWindow,
                                               .operands = {ForwardInput{0}, OutputGradient{0}},
                                               .of_inputs = {1}},
                                              {.kind = Operator::ConvBiasGradient,
                                               .attributes = kWindow,
                                               .operands = {OutputGradient{0}},
                                               .of_inputs = {2}}}));
  EXPECT_EQ(
      entry_of(Operator::Conv).gradient(operation(Operator::Conv, kWindow, {kX, kWeights})).size(),
      2U);
}

// Two spatial dimensions stand behind a first one of extent 1.
const std::vector<KernelWord> kShape{
    {"batch", 5},       {"in_channels", 2}, {"out_channels", 4}, {"groups", 2},
    {"input[0]", 1},    {"input[1]", 8},    {"input[2]", 6},     {"output[0]", 1},
    {"output[1]", 4},   {"output[2]", 5},   {"kernel[0]", 1},    {"kernel[1]", 3},
    {"kernel[2]", 2},   {"stride[0]", 1},   {"stride[1]", 2},    {"stride[2]", 1},
    {"dilation[0]", 1}, {"dilation[1]", 1}, {"dilation[2]", 2},  {"padding[0]", 0},
    {"padding[1]", 1},  {"padding[2]", 0}};

TEST(Conv, CallsKernelsThatShareOneShape) {
  const OperationTypes types = operation(Operator::Conv, kWindow, {kX, kWeights});
  EXPECT_EQ(entry_of(Operator::Conv).kernel(types),
            (KernelCall{.function = POET_KERNEL(poet_conv_forward_f32),
                        .shape = kShape,
                        .inputs = {0, 1, std::nullopt},
                        .outputs = {0}}));
  EXPECT_EQ(entry_of(Operator::ConvInputGradient).kernel(gradient_types(types, 0)),
            (KernelCall{.function = POET_KERNEL(poet_conv_input_gradient_f32),
                        .shape = kShape,
                        .inputs = {0, 1, std::nullopt},
                        .outputs = {0}}));
  EXPECT_EQ(entry_of(Operator::ConvWeightGradient).kernel(gradient_types(types, 1)),
            (KernelCall{.function = POET_KERNEL(poet_conv_weight_gradient_f32),
                        .shape = kShape,
                        .inputs = {0, 1},
                        .outputs = {0}}));
}

TEST(Conv, TellsTheKernelOfTheBiasGradientOnlyTheShapeOfDy) {
  const OperationTypes types = operation(Operator::Conv, kWindow, {kX, kWeights, float32({4})});
  const KernelCall call = entry_of(Operator::ConvBiasGradient).kernel(gradient_types(types, 2));
  EXPECT_EQ(call.function, POET_KERNEL(poet_conv_bias_gradient_f32));
  EXPECT_EQ(call.inputs, std::vector<std::optional<int>>{0});
  const std::vector<KernelWord> begin(call.shape.begin(), call.shape.begin() + 10);
  EXPECT_EQ(begin, (std::vector<KernelWord>{{"batch", 5},
                                            {"in_channels", 4},
                                            {"out_channels", 4},
                                            {"groups", 4},
                                            {"input[0]", 1},
                                            {"input[1]", 4},
                                            {"input[2]", 5},
                                            {"output[0]", 1},
                                            {"output[1]", 4},
                                            {"output[2]", 5}}));
  EXPECT_EQ(call.shape.size(), kShape.size());
}

// Goes back from the output of the convolution above: 4 channels in, 2 out.
const WindowAttributes kBack{.kernel = {3, 2},
                             .stride = {2, 1},
                             .padding_begin = {1, 0},
                             .padding_end = {0, 1},
                             .dilation = {1, 2},
                             .groups = 2,
                             .output_padding = {0, 0}};
const TensorType kPlaces = float32({5, 4, 4, 5});

std::string transpose_refusal(const WindowAttributes& window,
                              const std::vector<TensorType>& inputs) {
  return outcome(Operator::ConvTranspose, window, inputs);
}

TEST(ConvTranspose, MakesWhatAConvolutionWouldMakeItsInputOf) {
  // Height: 2 * 3 + 3 - 1 = 8; width: 4 + 3 - 1 = 6.
  EXPECT_EQ(operation(Operator::ConvTranspose, kBack, {kPlaces, kWeights}).outputs[0],
            float32({5, 2, 8, 6}));
  WindowAttributes padded = kBack;
  padded.output_padding = {1, 1};
  EXPECT_EQ(operation(Operator::ConvTranspose, padded, {kPlaces, kWeights}).outputs[0],
            float32({5, 2, 9, 7}));
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  WindowAttributes window = kBack;
  window.output_padding = {2, 0};
  EXPECT_EQ(transpose_refusal(window, {kPlaces, kWeights}),
            "output_padding 2 of spatial dimension 0 must be less than its stride or dilation");
  window.output_padding = {0};
  EXPECT_EQ(transpose_refusal(window, {kPlaces, kWeights}), "output_padding has 1 values, not 2");
  EXPECT_EQ(transpose_refusal(kBack, {kPlaces, float32({2, 1, 3, 2})}),
            "the weights (2, 1, 3, 2) are for 2 channels, the input has 4");
  EXPECT_EQ(transpose_refusal(kBack, {float32({5, 3, 4, 5}), float32({3, 1, 3, 2})}),
            "2 groups do not divide the 3 channels of the input");
  EXPECT_EQ(transpose_refusal(kBack, {kPlaces, kWeights, float32({4})}),
            "the bias must be float32 (2), not float32 (4)");
  window = plain(1, 1);
  window.padding_end = {3};
  EXPECT_EQ(transpose_refusal(window, {float32({1, 1, 3}), float32({1, 1, 1})}),
            "the padding leaves nothing of spatial dimension 0");
  window = plain(1, 1);
  window.stride = {2147483647};
  EXPECT_EQ(transpose_refusal(window, {float32({1, 1, 3}), float32({1, 1, 1})}),
            "spatial dimension 0 has more than 2147483647 values with its padding");
  EXPECT_EQ(transpose_refusal(window, {float32({1, 1, 1}), float32({1, 1, 1})}),
            "the window moves by 2147483647 in spatial dimension 0, which has 1 values with its "
            "padding: together these must be at most 2147483647");
}

TEST(ConvTranspose, CountsLikeTheConvolutionThatItReverses) {
  const OperationTypes types =
      operation(Operator::ConvTranspose, kBack, {kPlaces, kWeights, float32({2})});
  const std::int64_t products = 5 * 4 * 4 * 5 * 3 * 2;
  EXPECT_EQ(entry_of(types.kind).flop(types), 2 * products + 5 * 2 * 8 * 6);
  for (const std::size_t part : {0U, 1U}) {
    const OperationTypes by = gradient_types(types, part);
    EXPECT_EQ(entry_of(by.kind).flop(by), 2 * products) << part;
  }
}

TEST(ConvTranspose, CallsTheKernelsOfConvWithRolesSwapped) {
  const OperationTypes types =
      operation(Operator::ConvTranspose, kBack, {kPlaces, kWeights, float32({2})});
  EXPECT_EQ(entry_of(types.kind).kernel(types),
            (KernelCall{.function = POET_KERNEL(poet_conv_input_gradient_f32),
                        .shape = kShape,
                        .inputs = {0, 1, 2},
                        .outputs = {0}}));
  const OperationTypes by_x = gradient_types(types, 0);
  EXPECT_EQ(by_x.kind, Operator::ConvTransposeInputGradient);
  EXPECT_EQ(entry_of(by_x.kind).kernel(by_x),
            (KernelCall{.function = POET_KERNEL(poet_conv_forward_f32),
                        .shape = kShape,
                        .inputs = {0, 1, std::nullopt},
                        .outputs = {0}}));
  const OperationTypes by_weights = gradient_types(types, 1);
  EXPECT_EQ(by_weights.kind, Operator::ConvTransposeWeightGradient);
  EXPECT_EQ(entry_of(by_weights.kind).kernel(by_weights),
            (KernelCall{.function = POET_KERNEL(poet_conv_weight_gradient_f32),
                        .shape = kShape,
                        .inputs = {1, 0},
                        .outputs = {0}}));
}

}  // namespace
}  // namespace poet
