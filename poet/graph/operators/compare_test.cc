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
using testing::int32;
using testing::int64;
using testing::outcome;
using testing::with_outputs;
using Texts = std::vector<std::string>;

TEST(CompareOperators, GiveMasks) {
  EXPECT_EQ(outcome({.kind = Operator::Equal, .inputs = {int64({2, 3}), int64({3})}}),
            "bool (2, 3)");
  EXPECT_EQ(outcome({.kind = Operator::Less, .inputs = {float32({2, 1}), float32({3})}}),
            "bool (2, 3)");
  EXPECT_EQ(outcome({.kind = Operator::And, .inputs = {boolean({4}), boolean({})}}), "bool (4)");
  EXPECT_EQ(outcome({.kind = Operator::Not, .inputs = {boolean({4, 2})}}), "bool (4, 2)");
}

TEST(CompareOperators, SayWhatDoesNotFit) {
  EXPECT_EQ(outcome({.kind = Operator::Equal, .inputs = {int32({2}), int32({2})}}),
            "compares float32 or int64 values, not int32 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Greater, .inputs = {int64({2}), float32({2})}}),
            "the second input must be int64, not float32 (2)");
  EXPECT_EQ(outcome({.kind = Operator::LessOrEqual, .inputs = {int64({2}), int64({3})}}),
            "the shapes (2) and (3) do not broadcast: 2 stands over 3");
  EXPECT_EQ(outcome({.kind = Operator::Or, .inputs = {boolean({2}), float32({2})}}),
            "the second input must be bool, not float32 (2)");
  EXPECT_EQ(outcome({.kind = Operator::And, .inputs = {float32({2}), boolean({2})}}),
            "the first input must be bool, not float32 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Not, .inputs = {float32({2})}}),
            "the input must be bool, not float32 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Equal,
                     .inputs = {int64({1, 1, 1, 1, 1, 1, 1, 1, 1}), int64({2})}}),
            "the first input has 9 dimensions: at most 8 can be dealt with");
}

TEST(CompareOperators, CallTheKernelOfTheirElementType) {
  EXPECT_EQ(call_text(with_outputs(
                {.kind = Operator::GreaterOrEqual, .inputs = {int64({2, 3}), int64({3})}})),
            "poet_greater_or_equal_forward_i64(0, 1 -> 0) rank=2 extents=2,3,1.. "
            "a_strides=3,1,0.. b_strides=0,1,0..");
  EXPECT_EQ(
      call_text(with_outputs({.kind = Operator::Equal, .inputs = {float32({6}), float32({6})}})),
      "poet_equal_forward_f32(0, 1 -> 0) rank=1 extents=6,1.. a_strides=1,0.. "
      "b_strides=1,0..");
  EXPECT_EQ(call_text(with_outputs({.kind = Operator::Or, .inputs = {boolean({6}), boolean({})}})),
            "poet_or_forward_u8(0, 1 -> 0) rank=1 extents=6,1.. a_strides=1,0.. b_strides=0..");
  EXPECT_EQ(call_text(with_outputs({.kind = Operator::Not, .inputs = {boolean({2, 3})}})),
            "poet_not_forward_u8(0 -> 0) count=6");
}

OperationTypes where(Shape condition, Shape a, Shape b) {
  return {.kind = Operator::Where,
          .inputs = {boolean(std::move(condition)), float32(std::move(a)), float32(std::move(b))}};
}

TEST(Where, BroadcastsAllThree) {
  EXPECT_EQ(outcome(where({2, 1}, {3}, {})), "float32 (2, 3)");
  EXPECT_EQ(outcome(where({4, 1, 1}, {2, 1}, {3})), "float32 (4, 2, 3)");
}

TEST(Where, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome({.kind = Operator::Where, .inputs = {int64({2}), float32({2}), float32({2})}}),
            "the condition must be bool, not int64 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Where, .inputs = {boolean({2}), int64({2}), int64({2})}}),
            "the second input must be float32, not int64 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Where, .inputs = {boolean({2}), float32({2}), int64({2})}}),
            "the third input must be float32, not int64 (2)");
  EXPECT_EQ(outcome(where({2}, {3}, {3})),
            "the shapes (2) and (3) do not broadcast: 2 stands over 3");
  EXPECT_EQ(outcome(where({2}, {3}, {4})),
            "the shapes (3) and (4) do not broadcast: 3 stands over 4");
}

TEST(Where, ReadsItsConditionForBothGradients) {
  EXPECT_EQ(gradient_texts(where({2, 3}, {2, 3}, {})),
            (Texts{"where_true_gradient(dy, x0) by 1", "where_false_gradient(dy, x0) by 2"}));
}

TEST(Where, CountsOnlyTheSumsOfItsGradients) {
  EXPECT_EQ(flop(where({2, 3}, {2, 3}, {})), 0);
  const std::vector<OperationTypes> gradients = gradient_operations(where({2, 3}, {2, 3}, {}));
  EXPECT_EQ(entry_of(Operator::WhereTrueGradient).flop(gradients[0]), 0);
  EXPECT_EQ(entry_of(Operator::WhereFalseGradient).flop(gradients[1]), 6);
}

TEST(Where, CallsItsKernels) {
  EXPECT_EQ(call_text(with_outputs(where({2, 1}, {2, 3}, {}))),
            "poet_where_forward_f32(0, 1, 2 -> 0) rank=2 extents=2,3,1.. "
            "condition_strides=1,0.. a_strides=3,1,0.. b_strides=0..");
  const std::vector<OperationTypes> gradients = gradient_operations(where({2, 1}, {2, 3}, {}));
  EXPECT_EQ(call_text(gradients[0]),
            "poet_where_a_gradient_f32(0, 1 -> 0) kept_rank=2 summed_rank=0 kept_extents=2,3,1.. "
            "summed_extents=1.. dy_kept_strides=3,1,0.. dy_summed_strides=0.. "
            "a_kept_strides=1,0.. a_summed_strides=0.. b_kept_strides=0.. b_summed_strides=0..");
  EXPECT_EQ(call_text(gradients[1]),
            "poet_where_b_gradient_f32(0, 1 -> 0) kept_rank=0 summed_rank=2 kept_extents=1.. "
            "summed_extents=2,3,1.. dy_kept_strides=0.. dy_summed_strides=3,1,0.. "
            "a_kept_strides=0.. a_summed_strides=1,0.. b_kept_strides=0.. b_summed_strides=0..");
}

}  // namespace
}  // namespace poet
