#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"
#include "poet/runtime/pool.h"

namespace poet {
namespace {

using testing::float32;
using testing::gradient_types;
using testing::operation;
using testing::outcome;

// The pool of a ResNet's stem.
const WindowAttributes kStem{.kernel = {3, 3},
                             .stride = {2, 2},
                             .padding_begin = {1, 1},
                             .padding_end = {1, 1},
                             .dilation = {1, 1}};

WindowAttributes line(std::int64_t kernel, std::int64_t stride, std::int64_t begin,
                      std::int64_t end) {
  return {.kernel = {kernel},
          .stride = {stride},
          .padding_begin = {begin},
          .padding_end = {end},
          .dilation = {1}};
}

std::int64_t places(WindowAttributes window, std::int64_t extent) {
  return operation(Operator::MaxPool, window, {float32({1, 1, extent})}).outputs[0].shape[2];
}

TEST(Pool, CountsThePlacesOfItsWindow) {
  EXPECT_EQ(operation(Operator::MaxPool, kStem, {float32({2, 3, 8, 7})}).outputs[0],
            float32({2, 3, 4, 4}));
  WindowAttributes dilated = line(2, 1, 0, 0);
  dilated.dilation = {3};
  EXPECT_EQ(places(dilated, 5), 2);
}

TEST(Pool, RoundsUpButBeginsNoWindowBehindTheInput) {
  WindowAttributes window = line(2, 2, 0, 0);
  EXPECT_EQ(places(window, 5), 2);
  window.round_up = true;
  EXPECT_EQ(places(window, 5), 3);
  EXPECT_EQ(places(window, 4), 2);
  // A window at 3 would lie in the padding alone.
  window = line(2, 3, 0, 1);
  window.round_up = true;
  EXPECT_EQ(places(window, 3), 1);
}

TEST(Pool, RefusesWindowsThatMeetPaddingAlone) {
  const auto refused = [](const WindowAttributes& window, std::int64_t extent) {
    return outcome(Operator::MaxPool, window, {float32({1, 1, extent})});
  };
  const std::string alone = "a window of spatial dimension 0 would lie in the padding alone";
  EXPECT_EQ(refused(line(2, 1, 2, 0), 4), alone);
  EXPECT_EQ(refused(line(2, 1, 0, 2), 4), alone);
  EXPECT_EQ(refused(line(2, 1, 1, 1), 4), "float32 (1, 1, 5)");
  // Of places -1 and 2, the second lies behind the picture.
  WindowAttributes wide = line(2, 1, 1, 2);
  wide.dilation = {3};
  EXPECT_EQ(refused(wide, 1), alone);
  EXPECT_EQ(refused(wide, 3), "float32 (1, 1, 3)");
}

TEST(Pool, RefusesWhatDoesNotFit) {
  const TensorType x = float32({2, 3, 8, 8});
  EXPECT_EQ(outcome(Operator::MaxPool, NormAttributes{}, {x}),
            "takes the attributes of a window, and has none or others");
  EXPECT_EQ(outcome(Operator::AveragePool, kStem, {{ElementType::Int32, {2, 3, 8, 8}}}),
            "takes float32 values, not int32 (2, 3, 8, 8)");
  EXPECT_EQ(outcome(Operator::MaxPool, kStem, {float32({2, 3, 8})}), "kernel has 2 values, not 1");
  WindowAttributes window = kStem;
  window.groups = 3;
  EXPECT_EQ(outcome(Operator::MaxPool, window, {x}),
            "groups and output_padding are for convolutions");
  window = kStem;
  window.counts_padding = true;
  EXPECT_EQ(outcome(Operator::MaxPool, window, {x}), "counts_padding is for average_pool");
  EXPECT_EQ(outcome(Operator::AveragePool, window, {x}), "float32 (2, 3, 4, 4)");
  window = kStem;
  window.kernel = {3, 11};
  EXPECT_EQ(outcome(Operator::MaxPool, window, {x}),
            "the window reaches over 11 values of spatial dimension 1, which has only 10 with its "
            "padding");
}

TEST(Pool, RefusesWhat32BitsDoNotHold) {
  WindowAttributes window = line(1, 1, 0, 2147483647);
  EXPECT_EQ(outcome(Operator::MaxPool, window, {float32({1, 1, 1})}),
            "spatial dimension 0 has more than 2147483647 values with its padding");
  window = line(1, 1, 0, 0);
  window.dilation = {2147483647};
  EXPECT_EQ(outcome(Operator::AveragePool, window, {float32({1, 1, 4})}),
            "the window moves by 2147483647 in spatial dimension 0, which has 4 values with its "
            "padding: together these must be at most 2147483647");
  EXPECT_EQ(outcome(Operator::AveragePool, line(2, 2147483644, 0, 0), {float32({1, 1, 4})}),
            "the window moves by 2147483644 in spatial dimension 0, which has 4 values with its "
            "padding: together these must be at most 2147483647");
  EXPECT_EQ(outcome(Operator::AveragePool, line(2, 2147483643, 0, 0), {float32({1, 1, 4})}),
            "float32 (1, 1, 1)");
  window = {.kernel = {1 << 20, 1 << 20, 1 << 20},
            .stride = {1, 1, 1},
            .padding_begin = {0, 0, 0},
            .padding_end = {(1 << 20) - 1, (1 << 20) - 1, (1 << 20) - 1},
            .dilation = {1, 1, 1}};
  EXPECT_EQ(outcome(Operator::AveragePool, window, {float32({1, 1, 1, 1, 1})}),
            "is too much work to count: (1, 1, 1, 1, 1, 1048576, 1048576, 1048576) times");
}

TEST(Pool, CountsOneForEachValueOfEachWindow) {
  const OperationTypes max = operation(Operator::MaxPool, kStem, {float32({2, 3, 8, 8})});
  const std::int64_t outputs = 2 * 3 * 4 * 4;
  EXPECT_EQ(entry_of(max.kind).flop(max), outputs * 9);
  const OperationTypes by_max = gradient_types(max, 0);
  EXPECT_EQ(entry_of(by_max.kind).flop(by_max), outputs * 9 + outputs);
  const OperationTypes average = operation(Operator::AveragePool, kStem, {float32({2, 3, 8, 8})});
  EXPECT_EQ(entry_of(average.kind).flop(average), outputs * 9 + outputs);
  const OperationTypes by_average = gradient_types(average, 0);
  EXPECT_EQ(entry_of(by_average.kind).flop(by_average), outputs * 9 + outputs);
}

TEST(Pool, NeedsTheInputOnlyForTheGradientOfAMaximum) {
  const OperationTypes max = operation(Operator::MaxPool, kStem, {float32({2, 3, 8, 8})});
  EXPECT_EQ(entry_of(max.kind).gradient(max),
            (std::vector<GradientPart>{{.kind = Operator::MaxPoolGradient,
                                        .attributes = kStem,
                                        .operands = {ForwardInput{0}, OutputGradient{0}},
                                        .of_inputs = {0}}}));
  const OperationTypes average = operation(Operator::AveragePool, kStem, {float32({2, 3, 8, 8})});
  EXPECT_EQ(entry_of(average.kind).gradient(average),
            (std::vector<GradientPart>{{.kind = Operator::AveragePoolGradient,
                                        .attributes = kStem,
                                        .operands = {OutputGradient{0}},
                                        .of_inputs = {0}}}));
}

TEST(Pool, CallsKernelsThatShareOneShape) {
  WindowAttributes window = line(2, 3, 1, 0);
  window.counts_padding = true;
  const std::vector<KernelWord> shape{
      {"planes", 6},           {"input[0]", 1},         {"input[1]", 1},
      {"input[2]", 8},         {"output[0]", 1},        {"output[1]", 1},
      {"output[2]", 3},        {"window[0]", 1},        {"window[1]", 1},
      {"window[2]", 2},        {"stride[0]", 1},        {"stride[1]", 1},
      {"stride[2]", 3},        {"dilation[0]", 1},      {"dilation[1]", 1},
      {"dilation[2]", 1},      {"padding_begin[0]", 0}, {"padding_begin[1]", 0},
      {"padding_begin[2]", 1}, {"padding_end[0]", 0},   {"padding_end[1]", 0},
      {"padding_end[2]", 0},   {"counts_padding", 1}};
  const OperationTypes average = operation(Operator::AveragePool, window, {float32({2, 3, 8})});
  EXPECT_EQ(entry_of(average.kind).kernel(average),
            (KernelCall{.function = POET_KERNEL(poet_average_pool_forward_f32),
                        .shape = shape,
                        .inputs = {0},
                        .outputs = {0}}));
  const OperationTypes by_average = gradient_types(average, 0);
  EXPECT_EQ(entry_of(by_average.kind).kernel(by_average),
            (KernelCall{.function = POET_KERNEL(poet_average_pool_gradient_f32),
                        .shape = shape,
                        .inputs = {0},
                        .outputs = {0}}));
}

TEST(Pool, CallsItsOwnKernelsForMaxima) {
  const OperationTypes max = operation(Operator::MaxPool, kStem, {float32({2, 3, 8, 8})});
  EXPECT_EQ(entry_of(max.kind).kernel(max).function, POET_KERNEL(poet_max_pool_forward_f32));
  const KernelCall call = entry_of(Operator::MaxPoolGradient).kernel(gradient_types(max, 0));
  EXPECT_EQ(call.function, POET_KERNEL(poet_max_pool_gradient_f32));
  EXPECT_EQ(call.inputs, (std::vector<std::optional<int>>{0, 1}));
  EXPECT_EQ(call.shape, entry_of(max.kind).kernel(max).shape);
}

}  // namespace
}  // namespace poet
