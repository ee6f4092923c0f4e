#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::flop;
using testing::gradient_operations;
using testing::gradient_texts;
using testing::int64;
using testing::outcome;
using testing::with_outputs;
using Texts = std::vector<std::string>;

OperationTypes reduce(Operator kind, Shape x, ReduceAttributes attributes) {
  return {.kind = kind, .attributes = std::move(attributes), .inputs = {float32(std::move(x))}};
}

TEST(ReduceOperators, KeepOrDropWhatTheyReduce) {
  EXPECT_EQ(outcome(reduce(Operator::ReduceSum, {2, 3, 4}, {.axes = {1}})), "float32 (2, 1, 4)");
  EXPECT_EQ(
      outcome(reduce(Operator::ReduceMean, {2, 3, 4}, {.axes = {0, 2}, .keeps_dimensions = false})),
      "float32 (3)");
  EXPECT_EQ(
      outcome(reduce(Operator::ReduceMax, {2, 3}, {.axes = {0, 1}, .keeps_dimensions = false})),
      "float32 ()");
  EXPECT_EQ(outcome(reduce(Operator::ReduceL2, {2, 3}, {})), "float32 (2, 3)");
  EXPECT_EQ(outcome(reduce(Operator::ReduceMin, {}, {})), "float32 ()");
}

TEST(ReduceOperators, SayWhatDoesNotFit) {
  EXPECT_EQ(outcome(reduce(Operator::ReduceSum, {2, 3}, {.axes = {2}})),
            "axis 2 is out of range for float32 (2, 3): there are 2 dimensions");
  EXPECT_EQ(outcome(reduce(Operator::ReduceSum, {2, 3}, {.axes = {-1}})),
            "axis -1 is out of range for float32 (2, 3): there are 2 dimensions");
  EXPECT_EQ(outcome(reduce(Operator::ReduceSum, {2, 3}, {.axes = {1, 0}})),
            "axis 0 comes after 1: axes must increase");
  EXPECT_EQ(outcome(reduce(Operator::ReduceSum, {2, 3}, {.axes = {1, 1}})),
            "axis 1 comes after 1: axes must increase");
  EXPECT_EQ(
      outcome(
          {.kind = Operator::ReduceSum, .attributes = ReduceAttributes{}, .inputs = {int64({2})}}),
      "the input must be float32, not int64 (2)");
  EXPECT_EQ(outcome({.kind = Operator::ReduceSum, .inputs = {float32({2})}}),
            "takes the attributes of a reduction, and has none or others");
  EXPECT_EQ(outcome(reduce(Operator::ReduceSum, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {})),
            "the input has 9 dimensions: at most 8 can be dealt with");
}

TEST(ReduceOperators, CountFlopByHand) {
  const ReduceAttributes last{.axes = {1}};
  EXPECT_EQ(flop(reduce(Operator::ReduceSum, {2, 3}, last)), 6);
  EXPECT_EQ(flop(reduce(Operator::ReduceMean, {2, 3}, last)), 6 + 2);
  EXPECT_EQ(flop(reduce(Operator::ReduceMax, {2, 3}, last)), 6);
  EXPECT_EQ(flop(reduce(Operator::ReduceSumSquare, {2, 3}, last)), 12);
  EXPECT_EQ(flop(reduce(Operator::ReduceL2, {2, 3}, last)), 12 + 2);
  EXPECT_EQ(flop(reduce(Operator::ReduceLogSumExp, {2, 3}, last)), 24 + 4);
}

TEST(ReduceOperators, ReadAsLittleAsTheirGradientsNeed) {
  const auto texts = [](Operator kind) {
    return gradient_texts(reduce(kind, {2, 3}, {.axes = {1}}));
  };
  EXPECT_EQ(texts(Operator::ReduceSum), Texts{"reduce_sum_gradient(dy) by 0"});
  EXPECT_EQ(texts(Operator::ReduceMean), Texts{"reduce_mean_gradient(dy) by 0"});
  EXPECT_EQ(texts(Operator::ReduceMax), Texts{"reduce_max_gradient(x0, y, dy) by 0"});
  EXPECT_EQ(texts(Operator::ReduceMin), Texts{"reduce_min_gradient(x0, y, dy) by 0"});
  EXPECT_EQ(texts(Operator::ReduceProduct), Texts{"reduce_product_gradient(x0, y, dy) by 0"});
  EXPECT_EQ(texts(Operator::ReduceSumSquare), Texts{"reduce_sum_of_squares_gradient(x0, dy) by 0"});
  EXPECT_EQ(texts(Operator::ReduceL2), Texts{"reduce_l2_gradient(x0, y, dy) by 0"});
  EXPECT_EQ(texts(Operator::ReduceLogSumExp), Texts{"reduce_log_sum_exp_gradient(x0, y, dy) by 0"});
}

TEST(ReduceOperators, CallTheirKernelsWithMergedDimensions) {
  const OperationTypes types = reduce(Operator::ReduceMax, {2, 3, 4, 5}, {.axes = {0, 2, 3}});
  const std::string words =
      " kept_rank=1 reduced_rank=2 kept_extents=3,1.. reduced_extents=2,20,1.. "
      "kept_strides=20,0.. reduced_strides=60,1,0..";
  EXPECT_EQ(call_text(with_outputs(types)), "poet_reduce_max_forward_f32(0 -> 0)" + words);
  EXPECT_EQ(call_text(gradient_operations(types)[0]),
            "poet_reduce_max_gradient_f32(0, 1, 2 -> 0)" + words);
  EXPECT_EQ(call_text(with_outputs(reduce(Operator::ReduceSum, {}, {}))),
            "poet_reduce_sum_forward_f32(0 -> 0) kept_rank=0 reduced_rank=0 kept_extents=1.. "
            "reduced_extents=1.. kept_strides=0.. reduced_strides=0..");
}

}  // namespace
}  // namespace poet
