#include "poet/graph/weight_update.h"

#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"
#include "poet/runtime/weight_update.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::flop;
using testing::outcome;
using testing::with_outputs;

// x (batch 4, 3 features), dy (4, 5): the weight is (3, 5).
const MatMulAttributes kProduct{.transpose_a = true};
const WindowAttributes kWindow{.kernel = {3},
                               .stride = {1},
                               .padding_begin = {1},
                               .padding_end = {1},
                               .dilation = {1},
                               .groups = 2};

OperationTypes of_product(Operator update, UpdateAttributes attributes,
                          std::vector<TensorType> inputs) {
  return {.kind = Operator::WeightUpdate,
          .attributes = WeightUpdateAttributes{.gradient = Operator::MatMul,
                                               .gradient_attributes = kProduct,
                                               .update = update,
                                               .update_attributes = attributes},
          .inputs = std::move(inputs)};
}

OperationTypes of_convolution(std::vector<TensorType> inputs) {
  return {.kind = Operator::WeightUpdate,
          .attributes = WeightUpdateAttributes{.gradient = Operator::ConvWeightGradient,
                                               .gradient_attributes = kWindow,
                                               .update = Operator::Sgd},
          .inputs = std::move(inputs)};
}

const TensorType kWeight = float32({3, 5});
const TensorType kX = float32({4, 3});
const TensorType kDy = float32({4, 5});

TEST(WeightUpdate, MakesTheNewValueInThePlaceOfTheOldOne) {
  const OperatorEntry& entry = entry_of(Operator::WeightUpdate);
  EXPECT_TRUE(entry.once);
  EXPECT_EQ(entry.updates, (std::vector<SharedPlace>{{0, 0}}));
  EXPECT_EQ(outcome(of_product(Operator::Sgd, {}, {kWeight, kX, kDy, step_type()})),
            "float32 (3, 5)");
  EXPECT_EQ(outcome(of_convolution(
                {float32({6, 2, 3}), float32({7, 4, 9}), float32({7, 6, 9}), step_type()})),
            "float32 (6, 2, 3)");
}

TEST(WeightUpdate, ReadsWhatTheUpdateReads) {
  const UpdateAttributes decay{.weight_decay = 0.5F, .momentum = 0.25F};
  EXPECT_EQ(
      outcome(of_product(Operator::Velocity, decay, {kWeight, kX, kDy, kWeight, step_type()})),
      "float32 (3, 5)");
  EXPECT_EQ(
      outcome(of_product(Operator::Nesterov, decay, {kWeight, kWeight, kX, kDy, step_type()})),
      "float32 (3, 5)");
  EXPECT_EQ(outcome(of_product(Operator::SecondMoment, {}, {kWeight, kX, kDy})), "float32 (3, 5)");
}

TEST(WeightUpdate, RefusesWhatItCannotDoBySlices) {
  EXPECT_EQ(outcome(Operator::WeightUpdate, {}, {kWeight, kX, kDy}),
            "takes the attributes of a weight update, and has none or others");
  EXPECT_EQ(outcome(of_product(Operator::Adam, {}, {kWeight, kX, kDy})),
            "adam is not an update by a gradient");
  EXPECT_EQ(outcome(of_product(Operator::Sgd, {}, {kWeight, kX, kDy, step_type(), float32({})})),
            "the gradient is clipped: that needs all of it at once");
  EXPECT_EQ(outcome(of_product(Operator::Sgd, {}, {float32({2, 3, 5}), kX, kDy, step_type()})),
            "the weight of a product must have 2 dimensions, not (2, 3, 5)");
  EXPECT_EQ(outcome(of_product(Operator::Sgd, {}, {float32({5, 3}), kX, kDy, step_type()})),
            "the weight must be float32 (3, 5), not float32 (5, 3)");
  EXPECT_EQ(outcome(of_convolution(
                {float32({6, 2, 3}), float32({7, 4, 9}), float32({7, 6, 8}), step_type()})),
            "the gradient of the outputs must be float32 (7, 6, 9), not float32 (7, 6, 8)");
}

TEST(WeightUpdate, CountsTheGradientAndTheUpdate) {
  EXPECT_EQ(flop(of_product(Operator::Sgd, {}, {kWeight, kX, kDy, step_type()})),
            2 * 4 * 3 * 5 + 2 * 3 * 5);
}

TEST(WeightUpdate, CallsItsKernelWithRoomForASlice) {
  const OperationTypes types = with_outputs(
      of_product(Operator::Nesterov, {.weight_decay = 0.5F, .momentum = 0.25F},
                 {float32({100, 5}), float32({100, 5}), float32({4, 100}), kDy, step_type()}));
  const KernelCall call = entry_of(types.kind).kernel(types);
  EXPECT_EQ(call.function, POET_KERNEL(poet_matmul_weight_update_f32));
  EXPECT_EQ(call.inputs, (std::vector<std::optional<int>>{0, 2, 3, 1, 4}));
  EXPECT_EQ(call.outputs, (std::vector<std::optional<int>>{0}));
  EXPECT_EQ(call.workspace_bytes, 16 * 5 * 4);
  const std::string text = call_text(types);
  EXPECT_NE(text.find("slice_rows=16 update.kind=2 update.weight_decay=0.5 update.momentum=0.25"),
            text.npos)
      << text;
}

// x and dy are exchanged there, as in the gradient's own kernel.
TEST(WeightUpdate, ExchangesTheOperandsOfATransposedConvolution) {
  WindowAttributes window = kWindow;
  window.groups = 1;
  const OperationTypes types = with_outputs(
      {.kind = Operator::WeightUpdate,
       .attributes = WeightUpdateAttributes{.gradient = Operator::ConvTransposeWeightGradient,
                                            .gradient_attributes = window,
                                            .update = Operator::Sgd},
       .inputs = {float32({4, 6, 3}), float32({7, 4, 9}), float32({7, 6, 9}), step_type()}});
  EXPECT_EQ(entry_of(types.kind).kernel(types).inputs,
            (std::vector<std::optional<int>>{0, 2, 1, std::nullopt, 3}));
}

TEST(SliceRows, AreAnEighthInFullFoursAndAtMost32) {
  EXPECT_EQ(slice_rows(1), 1);
  EXPECT_EQ(slice_rows(3), 3);
  EXPECT_EQ(slice_rows(10), 4);
  EXPECT_EQ(slice_rows(120), 16);
  EXPECT_EQ(slice_rows(256), 32);
  EXPECT_EQ(slice_rows(100'000), 32);
}

}  // namespace
}  // namespace poet
