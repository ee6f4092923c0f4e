#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::boolean;
using testing::call_text;
using testing::float32;
using testing::flop;
using testing::gradient_operations;
using testing::gradient_texts;
using testing::int64;
using testing::outcome;
using testing::with_outputs;
using Texts = std::vector<std::string>;

OperationTypes pair(Operator kind, Shape a, Shape b) {
  return {.kind = kind, .inputs = {float32(std::move(a)), float32(std::move(b))}};
}

std::int64_t gradient_flop(const OperationTypes& types, std::size_t part) {
  const OperationTypes operation = gradient_operations(types)[part];
  return entry_of(operation.kind).flop(operation);
}

TEST(BroadcastOperators, BroadcastLikeNumpy) {
  EXPECT_EQ(outcome(pair(Operator::Add, {2, 3}, {2, 3})), "float32 (2, 3)");
  EXPECT_EQ(outcome(pair(Operator::Sub, {2, 3}, {3})), "float32 (2, 3)");
  EXPECT_EQ(outcome(pair(Operator::Mul, {3, 1}, {1, 4})), "float32 (3, 4)");
  EXPECT_EQ(outcome(pair(Operator::Div, {}, {5, 1})), "float32 (5, 1)");
  EXPECT_EQ(outcome(pair(Operator::Pow, {}, {})), "float32 ()");
  EXPECT_EQ(outcome(pair(Operator::Max, {4, 1, 2}, {3, 1})), "float32 (4, 3, 2)");
  EXPECT_EQ(outcome(pair(Operator::Min, {1}, {7})), "float32 (7)");
}

TEST(BroadcastOperators, SayWhatDoesNotFit) {
  EXPECT_EQ(outcome(pair(Operator::Add, {2, 3}, {2, 4})),
            "the shapes (2, 3) and (2, 4) do not broadcast: 3 stands over 4");
  EXPECT_EQ(outcome({.kind = Operator::Add, .inputs = {int64({2}), float32({2})}}),
            "the second input must be int64, not float32 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Div, .inputs = {int64({2}), int64({2})}}),
            "the first input must be float32, not int64 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Add, .inputs = {float32({2}), boolean({2})}}),
            "the second input must be float32, not bool (2)");
  EXPECT_EQ(outcome(pair(Operator::Mul, {1, 1, 1, 1, 1, 1, 1, 1, 2}, {2})),
            "the first input has 9 dimensions: at most 8 can be dealt with");
  EXPECT_EQ(outcome({.kind = Operator::Add,
                     .attributes = AxisAttributes{},
                     .inputs = {float32({2}), float32({2})}}),
            "takes no attributes, and has some");
}

TEST(BroadcastOperators, GiveShapesThatMayBeTooLargeForATensor) {
  EXPECT_EQ(outcome(pair(Operator::Add, {2'147'483'647, 1}, {1, 2'147'483'647})),
            "float32 (2147483647, 2147483647)");
}

TEST(BroadcastOperators, AddAndMultiplyWholeNumbersToo) {
  EXPECT_EQ(outcome({.kind = Operator::Mul, .inputs = {int64({2, 3}), int64({3})}}),
            "int64 (2, 3)");
  EXPECT_EQ(call_text(with_outputs({.kind = Operator::Sub, .inputs = {int64({2}), int64({2})}})),
            "poet_sub_forward_i64(0, 1 -> 0) rank=1 extents=2,1.. a_strides=1,0.. b_strides=1,0..");
}

TEST(BroadcastOperators, CountOneFlopForEachValue) {
  EXPECT_EQ(flop(pair(Operator::Add, {2, 3}, {3})), 6);
  EXPECT_EQ(flop(pair(Operator::Pow, {3, 1}, {1, 4})), 12);
}

TEST(BroadcastOperators, CountTheSumsOfTheirGradients) {
  // By a (2, 3): nothing is summed. By b (3): six values of dy are.
  EXPECT_EQ(gradient_flop(pair(Operator::Add, {2, 3}, {3}), 0), 0);
  EXPECT_EQ(gradient_flop(pair(Operator::Add, {2, 3}, {3}), 1), 6);
  EXPECT_EQ(gradient_flop(pair(Operator::Sub, {2, 3}, {3}), 1), 6 + 3);
  EXPECT_EQ(gradient_flop(pair(Operator::Mul, {2, 3}, {3}), 0), 6);
  EXPECT_EQ(gradient_flop(pair(Operator::Mul, {2, 3}, {3}), 1), 12);
  EXPECT_EQ(gradient_flop(pair(Operator::Div, {2, 3}, {3}), 1), 6 * 5);
}

TEST(BroadcastOperators, ReadAsLittleAsTheirGradientsNeed) {
  EXPECT_EQ(gradient_texts(pair(Operator::Add, {2, 3}, {3})),
            (Texts{"broadcast_sum(dy) by 0", "broadcast_sum(dy) by 1"}));
  EXPECT_EQ(gradient_texts(pair(Operator::Sub, {2, 3}, {3})),
            (Texts{"broadcast_sum(dy) by 0", "broadcast_sum(dy) by 1"}));
  EXPECT_EQ(gradient_texts(pair(Operator::Mul, {2, 3}, {3})),
            (Texts{"mul_gradient(dy, x1) by 0", "mul_gradient(dy, x0) by 1"}));
  EXPECT_EQ(
      gradient_texts(pair(Operator::Div, {2, 3}, {3})),
      (Texts{"div_numerator_gradient(dy, x1) by 0", "div_denominator_gradient(dy, x0, x1) by 1"}));
  EXPECT_EQ(
      gradient_texts(pair(Operator::Pow, {2, 3}, {3})),
      (Texts{"pow_base_gradient(dy, x0, x1) by 0", "pow_exponent_gradient(dy, x0, x1) by 1"}));
  EXPECT_EQ(gradient_texts(pair(Operator::Max, {2, 3}, {3})),
            (Texts{"max_gradient(dy, x0, x1) by 0", "max_gradient(dy, x1, x0) by 1"}));
  EXPECT_EQ(gradient_texts(pair(Operator::Min, {2, 3}, {3})),
            (Texts{"min_gradient(dy, x0, x1) by 0", "min_gradient(dy, x1, x0) by 1"}));
}

TEST(BroadcastOperators, PassOnTheGradientOfASum) {
  const std::vector<GradientPart> parts =
      entry_of(Operator::Sub).gradient(with_outputs(pair(Operator::Sub, {2}, {2})));
  EXPECT_EQ(parts[0].attributes, Attributes{ScalarAttributes{.alpha = 1}});
  EXPECT_EQ(parts[1].attributes, Attributes{ScalarAttributes{.alpha = -1}});
}

TEST(BroadcastOperators, CallTheirKernelsWithMergedDimensions) {
  EXPECT_EQ(call_text(with_outputs(pair(Operator::Add, {2, 3}, {2, 3}))),
            "poet_add_forward_f32(0, 1 -> 0) rank=1 extents=6,1.. a_strides=1,0.. b_strides=1,0..");
  EXPECT_EQ(call_text(with_outputs(pair(Operator::Mul, {2, 3, 4, 5}, {3, 1, 1}))),
            "poet_mul_forward_f32(0, 1 -> 0) rank=3 extents=2,3,20,1.. a_strides=60,20,1,0.. "
            "b_strides=0,1,0..");
  EXPECT_EQ(call_text(with_outputs(pair(Operator::Div, {}, {}))),
            "poet_div_forward_f32(0, 1 -> 0) rank=1 extents=1.. a_strides=0.. b_strides=0..");
}

TEST(BroadcastOperators, CallTheirGradientsOverKeptAndSummedDimensions) {
  const std::vector<OperationTypes> mul =
      gradient_operations(pair(Operator::Mul, {2, 3, 4}, {3, 1}));
  EXPECT_EQ(call_text(mul[0]),
            "poet_mul_gradient_f32(0, 1 -> 0) kept_rank=3 summed_rank=0 kept_extents=2,3,4,1.. "
            "summed_extents=1.. dy_kept_strides=12,4,1,0.. dy_summed_strides=0.. "
            "a_kept_strides=0.. a_summed_strides=0.. b_kept_strides=0,1,0.. b_summed_strides=0..");
  EXPECT_EQ(call_text(mul[1]),
            "poet_mul_gradient_f32(0, 1 -> 0) kept_rank=1 summed_rank=2 kept_extents=3,1.. "
            "summed_extents=2,4,1.. dy_kept_strides=4,0.. dy_summed_strides=12,1,0.. "
            "a_kept_strides=0.. a_summed_strides=0.. b_kept_strides=4,0.. "
            "b_summed_strides=12,1,0..");
  EXPECT_EQ(call_text(gradient_operations(pair(Operator::Max, {2, 3}, {3}))[1]),
            "poet_max_gradient_f32(0, 1, 2 -> 0) kept_rank=1 summed_rank=1 kept_extents=3,1.. "
            "summed_extents=2,1.. dy_kept_strides=1,0.. dy_summed_strides=3,0.. "
            "a_kept_strides=1,0.. a_summed_strides=0.. b_kept_strides=1,0.. "
            "b_summed_strides=3,0..");
}

OperationTypes sum_of(Shape dy, Shape operand, float alpha) {
  return {.kind = Operator::BroadcastSum,
          .attributes = ScalarAttributes{.alpha = alpha},
          .inputs = {float32(std::move(dy))},
          .outputs = {float32(std::move(operand))}};
}

TEST(BroadcastSum, CallsTheKernelOfItsFactor) {
  const std::string words =
      " kept_rank=0 summed_rank=1 kept_extents=1.. summed_extents=6,1.. dy_kept_strides=0.. "
      "dy_summed_strides=1,0..";
  const std::string others =
      " a_kept_strides=0.. a_summed_strides=0.. b_kept_strides=0.. b_summed_strides=0..";
  EXPECT_EQ(call_text(sum_of({2, 3}, {}, 1)), "poet_add_gradient_f32(0 -> 0)" + words + others);
  EXPECT_EQ(call_text(sum_of({2, 3}, {}, -1)), "poet_sub_b_gradient_f32(0 -> 0)" + words + others);
  EXPECT_EQ(call_text(sum_of({2, 3}, {}, 0.5F)),
            "poet_broadcast_sum_forward_f32(0 -> 0)" + words + " alpha=0.5");
}

}  // namespace
}  // namespace poet
