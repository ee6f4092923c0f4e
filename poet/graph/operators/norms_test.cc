#include <gtest/gtest.h>

#include <limits>

#include "poet/graph/operators/operator_test_support.h"
#include "poet/runtime/batch_norm.h"
#include "poet/runtime/group_norm.h"
#include "poet/runtime/layer_norm.h"

namespace poet {
namespace {

using testing::float32;
using testing::gradient_types;
using testing::operation;
using testing::outcome;

const TensorType kX = float32({2, 6, 4, 5});
const TensorType kChannels = float32({6});
const NormAttributes kNorm{.epsilon = 0.5F};

OperationTypes batch_norm() {
  return operation(Operator::BatchNorm, kNorm, {kX, kChannels, kChannels});
}
OperationTypes inference() {
  return operation(Operator::BatchNormInference, kNorm,
                   {kX, kChannels, kChannels, kChannels, kChannels});
}
OperationTypes layer_norm() {
  return operation(Operator::LayerNorm, NormAttributes{.epsilon = 0.5F, .axis = 2},
                   {kX, float32({4, 5}), float32({4, 5})});
}
OperationTypes group_norm() {
  return operation(Operator::GroupNorm, NormAttributes{.epsilon = 0.5F, .groups = 3},
                   {kX, kChannels, kChannels});
}

std::int64_t flop(const OperationTypes& types) {
  return entry_of(types.kind).flop(types);
}

TEST(Norms, HandTheirStatisticsOn) {
  EXPECT_EQ(batch_norm().outputs, (std::vector<TensorType>{kX, kChannels, kChannels}));
  EXPECT_EQ(inference().outputs, std::vector<TensorType>{kX});
  EXPECT_EQ(layer_norm().outputs, (std::vector<TensorType>{kX, float32({2, 6}), float32({2, 6})}));
  EXPECT_EQ(group_norm().outputs, (std::vector<TensorType>{kX, float32({2, 3}), float32({2, 3})}));
  const OperationTypes whole = operation(Operator::LayerNorm, NormAttributes{}, {float32({7})});
  EXPECT_EQ(whole.outputs, (std::vector<TensorType>{float32({7}), float32({}), float32({})}));
}

TEST(BatchNorm, RefusesWhatDoesNotFit) {
  const auto refused = [](const Attributes& attributes, const std::vector<TensorType>& inputs) {
    return outcome(Operator::BatchNorm, attributes, inputs);
  };
  EXPECT_EQ(refused({}, {kX, kChannels, kChannels}),
            "takes the attributes of a norm, and has none or others");
  EXPECT_EQ(refused(kNorm, {kX, kChannels, {ElementType::Bool, {6}}}),
            "takes float32 values, not bool (6)");
  EXPECT_EQ(refused(NormAttributes{.epsilon = -1}, {kX, kChannels, kChannels}),
            "epsilon must be a number of at least 0, not -1");
  EXPECT_EQ(refused(NormAttributes{.epsilon = std::numeric_limits<float>::infinity()},
                    {kX, kChannels, kChannels}),
            "epsilon must be a number of at least 0, not inf");
  EXPECT_EQ(refused(kNorm, {float32({6}), kChannels, kChannels}), "takes (N, C, ...), not (6)");
  EXPECT_EQ(refused(kNorm, {kX, float32({4}), kChannels}),
            "the scale must be float32 (6), not float32 (4)");
  EXPECT_EQ(refused(kNorm, {kX, kChannels, float32({6, 1})}),
            "the bias must be float32 (6), not float32 (6, 1)");
}

TEST(BatchNormInference, RefusesStatisticsOfOtherChannels) {
  EXPECT_EQ(outcome(Operator::BatchNormInference, kNorm,
                    {kX, kChannels, kChannels, float32({5}), kChannels}),
            "the running mean must be float32 (6), not float32 (5)");
  EXPECT_EQ(outcome(Operator::BatchNormInference, kNorm,
                    {kX, kChannels, kChannels, kChannels, float32({5})}),
            "the running variance must be float32 (6), not float32 (5)");
  EXPECT_EQ(outcome(Operator::BatchNormInference, kNorm,
                    {float32({2}), kChannels, kChannels, kChannels, kChannels}),
            "takes (N, C, ...), not (2)");
}

TEST(LayerNorm, RefusesWhatDoesNotFit) {
  EXPECT_EQ(outcome(Operator::LayerNorm, NormAttributes{.axis = 4}, {kX}),
            "axis 4 is not a dimension of the input (2, 6, 4, 5)");
  EXPECT_EQ(outcome(Operator::LayerNorm, NormAttributes{.axis = -1}, {kX}),
            "axis -1 is not a dimension of the input (2, 6, 4, 5)");
  EXPECT_EQ(outcome(Operator::LayerNorm, NormAttributes{.axis = 3}, {kX, float32({5})}),
            "takes a scale and a bias, or neither");
  EXPECT_EQ(
      outcome(Operator::LayerNorm, NormAttributes{.axis = 3}, {kX, float32({4, 5}), float32({5})}),
      "the scale must be float32 (5), not float32 (4, 5)");
}

TEST(GroupNorm, RefusesWhatDoesNotFit) {
  EXPECT_EQ(outcome(Operator::GroupNorm, NormAttributes{.groups = 4}, {kX}),
            "4 groups do not divide 6 channels");
  EXPECT_EQ(outcome(Operator::GroupNorm, NormAttributes{.groups = 0}, {kX}),
            "0 groups do not divide 6 channels");
  EXPECT_EQ(outcome(Operator::GroupNorm, NormAttributes{.groups = 2}, {kX, kChannels}),
            "takes a scale and a bias, or neither");
  EXPECT_EQ(
      outcome(Operator::GroupNorm, NormAttributes{.groups = 2}, {kX, kChannels, float32({2})}),
      "the bias must be float32 (6), not float32 (2)");
  EXPECT_EQ(outcome(Operator::GroupNorm, NormAttributes{}, {float32({3})}),
            "takes (N, C, ...), not (3)");
}

TEST(RunningStatistics, AreMadeAnewOnce) {
  const OperatorEntry& entry = entry_of(Operator::RunningStatistics);
  EXPECT_TRUE(entry.once);
  EXPECT_EQ(entry.updates, (std::vector<SharedPlace>{{0, 0}, {1, 1}}));
  EXPECT_EQ(entry.gradient, nullptr);
}

TEST(RunningStatistics, RefuseWhatDoesNotFit) {
  const std::vector<TensorType> inputs(4, kChannels);
  const auto refused = [&](const RunningAttributes& attributes) {
    return outcome(Operator::RunningStatistics, attributes, inputs);
  };
  EXPECT_EQ(refused({.unbiased = false}), "float32 (6), float32 (6)");
  EXPECT_EQ(refused({.count = 2}), "float32 (6), float32 (6)");
  EXPECT_EQ(refused({.count = 1}),
            "takes statistics of 2 to 2147483647 values for an unbiased variance, not 1");
  EXPECT_EQ(refused({.unbiased = false, .count = 0}),
            "takes statistics of 1 to 2147483647 values, not 0");
  EXPECT_EQ(refused({.rate = 1.5F, .count = 2}), "the rate must be from 0 to 1, not 1.5");
  EXPECT_EQ(refused({.epsilon = -1, .count = 2}), "epsilon must be a number of at least 0, not -1");
  EXPECT_EQ(outcome(Operator::RunningStatistics, kNorm, inputs),
            "takes the attributes of a running statistic, and has none or others");
  EXPECT_EQ(outcome(Operator::RunningStatistics, RunningAttributes{.count = 2},
                    {float32({6, 1}), kChannels, kChannels, kChannels}),
            "takes statistics (C), not (6, 1)");
  EXPECT_EQ(outcome(Operator::RunningStatistics, RunningAttributes{.count = 2},
                    {kChannels, kChannels, kChannels, float32({5})}),
            "inverse_std must be float32 (6), not float32 (5)");
}

TEST(Norms, CountTheirArithmetic) {
  const std::int64_t values = 2 * 6 * 4 * 5;
  EXPECT_EQ(flop(batch_norm()), 7 * values + 6 * 6);
  EXPECT_EQ(flop(gradient_types(batch_norm(), 0)), 9 * values + 5 * 6);
  EXPECT_EQ(flop(inference()), 3 * values + 3 * 6);
  EXPECT_EQ(flop(gradient_types(inference(), 0)), 5 * values + 5 * 6);
  EXPECT_EQ(flop(layer_norm()), 8 * values + 5 * 12);
  EXPECT_EQ(flop(gradient_types(layer_norm(), 0)), 13 * values + 2 * 12);
  EXPECT_EQ(flop(group_norm()), 7 * values + 5 * 6 + 12);
  EXPECT_EQ(flop(gradient_types(group_norm(), 0)), 13 * values + 2 * 6);
}

TEST(Norms, CountLessWithoutAScale) {
  const OperationTypes layer =
      operation(Operator::LayerNorm, NormAttributes{.axis = 2}, {float32({2, 6, 4, 5})});
  EXPECT_EQ(flop(layer), 6 * 240 + 5 * 12);
  EXPECT_EQ(flop(gradient_types(layer, 0)), 9 * 240 + 2 * 12);
  const OperationTypes group = operation(Operator::GroupNorm, NormAttributes{.groups = 3}, {kX});
  EXPECT_EQ(flop(group), 6 * 240 + 5 * 6);
}

TEST(RunningStatistics, CountTheirArithmetic) {
  const std::vector<TensorType> inputs(4, kChannels);
  EXPECT_EQ(flop(operation(Operator::RunningStatistics, RunningAttributes{.count = 40}, inputs)),
            11 * 6);
  EXPECT_EQ(flop(operation(Operator::RunningStatistics,
                           RunningAttributes{.unbiased = false, .count = 40}, inputs)),
            10 * 6);
}

TEST(Norms, DifferentiateByTheInputAndTheStatistics) {
  const GradientPart all{.kind = Operator::BatchNormGradient,
                         .attributes = kNorm,
                         .operands = {ForwardInput{0}, ForwardOutput{1}, ForwardOutput{2},
                                      OutputGradient{0}, ForwardInput{1}},
                         .of_inputs = {0, 1, 2}};
  EXPECT_EQ(entry_of(Operator::BatchNorm).gradient(batch_norm()), std::vector<GradientPart>{all});
  const OperationTypes bare = operation(Operator::GroupNorm, kNorm, {kX});
  const GradientPart by_x{
      .kind = Operator::GroupNormGradient,
      .attributes = kNorm,
      .operands = {ForwardInput{0}, ForwardOutput{1}, ForwardOutput{2}, OutputGradient{0}},
      .of_inputs = {0}};
  EXPECT_EQ(entry_of(Operator::GroupNorm).gradient(bare), std::vector<GradientPart>{by_x});
  const GradientPart frozen{.kind = Operator::BatchNormInferenceGradient,
                            .attributes = kNorm,
                            .operands = {ForwardInput{0}, ForwardInput{1}, ForwardInput{3},
                                         ForwardInput{4}, OutputGradient{0}},
                            .of_inputs = {0, 1, 2}};
  EXPECT_EQ(entry_of(Operator::BatchNormInference).gradient(inference()),
            std::vector<GradientPart>{frozen});
}

const std::vector<KernelWord> kBatchNormShape{
    {"batch", 2},       {"channels", 6}, {"pixels", 20}, {"epsilon", 0.5F},
    {"momentum", 0.0F}, {"unbiased", 0}, {"others", 0}};

TEST(BatchNorm, CallsItsKernels) {
  EXPECT_EQ(entry_of(Operator::BatchNorm).kernel(batch_norm()),
            (KernelCall{.function = POET_KERNEL(poet_batch_norm_forward_f32),
                        .shape = kBatchNormShape,
                        .inputs = {0, 1, 2},
                        .outputs = {0, 1, 2}}));
  // The kernel wants x, scale, mean, inverse_std and dy.
  EXPECT_EQ(entry_of(Operator::BatchNormGradient).kernel(gradient_types(batch_norm(), 0)),
            (KernelCall{.function = POET_KERNEL(poet_batch_norm_gradient_f32),
                        .shape = kBatchNormShape,
                        .inputs = {0, 4, 1, 2, 3},
                        .outputs = {0, 1, 2}}));
}

TEST(BatchNormInference, CallsItsKernels) {
  EXPECT_EQ(entry_of(Operator::BatchNormInference).kernel(inference()),
            (KernelCall{.function = POET_KERNEL(poet_batch_norm_inference_forward_f32),
                        .shape = kBatchNormShape,
                        .inputs = {0, 1, 2, 3, 4},
                        .outputs = {0}}));
  EXPECT_EQ(entry_of(Operator::BatchNormInferenceGradient).kernel(gradient_types(inference(), 0)),
            (KernelCall{.function = POET_KERNEL(poet_batch_norm_inference_gradient_f32),
                        .shape = kBatchNormShape,
                        .inputs = {0, 1, 2, 3, 4},
                        .outputs = {0, 1, 2}}));
}

TEST(RunningStatistics, CallTheirKernel) {
  const OperationTypes types = operation(
      Operator::RunningStatistics, RunningAttributes{.rate = 0.25F, .epsilon = 0.5F, .count = 40},
      std::vector<TensorType>(4, kChannels));
  EXPECT_EQ(entry_of(types.kind).kernel(types),
            (KernelCall{.function = POET_KERNEL(poet_batch_norm_statistics_update_f32),
                        .shape = {{"batch", 40},
                                  {"channels", 6},
                                  {"pixels", 1},
                                  {"epsilon", 0.5F},
                                  {"momentum", 0.25F},
                                  {"unbiased", 1},
                                  {"others", 0}},
                        .inputs = {0, 1, 2, 3},
                        .outputs = {0, 1}}));
}

TEST(LayerNorm, CallsItsKernels) {
  const std::vector<KernelWord> shape{{"rows", 12}, {"features", 20}, {"epsilon", 0.5F}};
  EXPECT_EQ(entry_of(Operator::LayerNorm).kernel(layer_norm()),
            (KernelCall{.function = POET_KERNEL(poet_layer_norm_forward_f32),
                        .shape = shape,
                        .inputs = {0, 1, 2},
                        .outputs = {0, 1, 2}}));
  EXPECT_EQ(entry_of(Operator::LayerNormGradient).kernel(gradient_types(layer_norm(), 0)),
            (KernelCall{.function = POET_KERNEL(poet_layer_norm_gradient_f32),
                        .shape = shape,
                        .inputs = {0, 4, 1, 2, 3},
                        .outputs = {0, 1, 2}}));
}

TEST(GroupNorm, CallsItsKernelsWithoutScaleAndBias) {
  const OperationTypes bare =
      operation(Operator::GroupNorm, NormAttributes{.epsilon = 0.5F, .groups = 3}, {kX});
  const std::vector<KernelWord> shape{
      {"batch", 2}, {"channels", 6}, {"pixels", 20}, {"groups", 3}, {"epsilon", 0.5F}};
  EXPECT_EQ(entry_of(Operator::GroupNorm).kernel(bare),
            (KernelCall{.function = POET_KERNEL(poet_group_norm_forward_f32),
                        .shape = shape,
                        .inputs = {0, std::nullopt, std::nullopt},
                        .outputs = {0, 1, 2}}));
  EXPECT_EQ(entry_of(Operator::GroupNormGradient).kernel(gradient_types(bare, 0)),
            (KernelCall{.function = POET_KERNEL(poet_group_norm_gradient_f32),
                        .shape = shape,
                        .inputs = {0, std::nullopt, 1, 2, 3},
                        .outputs = {0, std::nullopt, std::nullopt}}));
}

// A gradient of one value per row has the size of the statistics, and must not take their place.
TEST(Norms, ShareTheirGradientsPlaceWithDyOrXOnly) {
  for (const Operator id :
       {Operator::BatchNormGradient, Operator::LayerNormGradient, Operator::GroupNormGradient})
    EXPECT_EQ(entry_of(id).in_place, (std::vector<SharedPlace>{{3, 0}, {0, 0}}));
  EXPECT_EQ(entry_of(Operator::BatchNormInferenceGradient).in_place,
            (std::vector<SharedPlace>{{4, 0}, {0, 0}}));
}

}  // namespace
}  // namespace poet
