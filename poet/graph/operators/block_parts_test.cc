#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::float32;
using testing::int64;
using testing::outcome;

TEST(BroadcastSumContinued, TakesASumOfAnOperandsShape) {
  const ScalarAttributes plain{.alpha = 1};
  const TensorType dy = float32({4, 3});
  EXPECT_EQ(outcome(Operator::BroadcastSumContinued, plain, {dy, float32({3})}), "float32 (3)");
  EXPECT_EQ(outcome(Operator::BroadcastSumContinued, plain, {dy, float32({4, 1})}),
            "float32 (4, 1)");
  EXPECT_EQ(outcome(Operator::BroadcastSumContinued, plain, {dy, float32({4})}),
            "(4, 3) cannot be summed to (4)");
  EXPECT_EQ(outcome(Operator::BroadcastSumContinued, plain, {dy, float32({2, 4, 3})}),
            "(4, 3) cannot be summed to (2, 4, 3)");
  EXPECT_EQ(outcome(Operator::BroadcastSumContinued, plain, {dy, int64({3})}),
            "every input must be float32, not int64 (3)");
  EXPECT_EQ(outcome(Operator::BroadcastSumContinued, {}, {dy, float32({3})}),
            "takes the attributes of a factor, and has none or others");
}

TEST(ReduceContinued, TakesASumOfTheOutputsShape) {
  const ReduceAttributes sum{.axes = {0}};
  const ReducePartAttributes mean{.axes = {0}, .count = 9};
  const TensorType x = float32({4, 3});
  EXPECT_EQ(outcome(Operator::ReduceSumContinued, sum, {x, float32({1, 3})}), "float32 (1, 3)");
  EXPECT_EQ(outcome(Operator::ReduceMeanContinued, mean, {x, float32({1, 3})}), "float32 (1, 3)");
  EXPECT_EQ(outcome(Operator::ReduceSumContinued, sum, {x, float32({3})}),
            "the sum must be float32 (1, 3), not float32 (3)");
  EXPECT_EQ(outcome(Operator::ReduceSumContinued, mean, {x, float32({1, 3})}),
            "takes the attributes of a reduction, and has none or others");
  EXPECT_EQ(outcome(Operator::ReduceMeanContinued, sum, {x, float32({1, 3})}),
            "takes the attributes of a part of a mean, and has none or others");
  EXPECT_EQ(outcome(Operator::ReduceMeanContinued, ReducePartAttributes{.axes = {0}, .count = 0},
                    {x, float32({1, 3})}),
            "a mean is of 1 to 2147483647 values, not 0");
}

TEST(GatherBlock, IsABlockOfATable) {
  const GatherPartAttributes block{.begin = 40, .count = 20, .extent = 100};
  const TensorType table = float32({20, 8});
  const TensorType indices = int64({5, 2});
  const TensorType y = float32({5, 2, 8});
  EXPECT_EQ(outcome(Operator::GatherBlock, block, {table, indices}), "float32 (5, 2, 8)");
  EXPECT_EQ(outcome(Operator::GatherBlock, block, {table, indices, y}), "float32 (5, 2, 8)");
  EXPECT_EQ(outcome(Operator::GatherBlock, block, {table, indices, table}),
            "what was gathered must be float32 (5, 2, 8), not float32 (20, 8)");
  EXPECT_EQ(outcome(Operator::GatherBlock, block, {float32({30, 8}), indices}),
            "the block (30, 8) has not 20 places along dimension 0");
  EXPECT_EQ(outcome(Operator::GatherBlock, block, {table, float32({5})}),
            "the indices must be int32 or int64, not float32 (5)");
  EXPECT_EQ(outcome(Operator::GatherBlock, AxisAttributes{}, {table, indices}),
            "takes the attributes of a block of a table, and has none or others");
  EXPECT_EQ(
      outcome(Operator::GatherBlock, GatherPartAttributes{.begin = 90, .count = 20, .extent = 100},
              {table, indices}),
      "20 places from 90 on are no block of 100");
  EXPECT_EQ(outcome(Operator::GatherGradientBlock, block, {indices, y}), "float32 (20, 8)");
  EXPECT_EQ(outcome(Operator::GatherGradientBlock, block, {indices, y, table}), "float32 (20, 8)");
  EXPECT_EQ(outcome(Operator::GatherGradientBlock, block, {indices, y, y}),
            "the sum must be float32 (20, 8), not float32 (5, 2, 8)");
  EXPECT_EQ(outcome(Operator::GatherGradientBlock, block, {indices, float32({5, 3, 8})}),
            "dy (5, 3, 8) has not the dimensions of the indices, (5, 2), from 0 on");
  EXPECT_EQ(outcome(Operator::GatherGradientBlock, block, {indices, float32({5})}),
            "axis 0 is out of range for float32 (5)");
}

TEST(DropoutPart, LiesInAWhole) {
  const DropoutPartAttributes part{.probability = 0.5F, .begin = {4, 3}, .whole = {8, 6}};
  const auto refusal = [&](DropoutPartAttributes attributes) {
    return outcome(Operator::DropoutPart, attributes, {float32({2, 3}), step_type()});
  };
  EXPECT_EQ(refusal(part), "float32 (2, 3)");
  DropoutPartAttributes other = part;
  other.begin = {4, 4};
  EXPECT_EQ(refusal(other), "(2, 3) from (4, 4) on is not a piece of (8, 6)");
  other.begin = {4};
  EXPECT_EQ(refusal(other), "(2, 3) from (4) on is not a piece of (8, 6)");
  other = part;
  other.probability = 1;
  EXPECT_EQ(refusal(other), "the probability is 1: it must be at least 0 and less than 1");
  EXPECT_EQ(outcome(Operator::DropoutPart, DropoutAttributes{}, {float32({2, 3}), step_type()}),
            "takes the attributes of a part of a dropout, and has none or others");
}

}  // namespace
}  // namespace poet
