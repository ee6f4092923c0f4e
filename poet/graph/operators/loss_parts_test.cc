#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::float32;
using testing::int64;
using testing::outcome;

const TensorType kBlock = float32({2, 3, 4});
const TensorType kPlace = float32({2, 4});
const TensorType kLabels = int64({2, 4});
const TensorType kNumber = float32({});

TEST(SoftmaxParts, CarryABlockWithoutItsAxis) {
  const AxisAttributes along{1};
  EXPECT_EQ(outcome(Operator::SoftmaxLargestPart, along, {kBlock}), "float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxLargestPart, along, {kBlock, kPlace}), "float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxSumPart, along, {kBlock, kPlace}), "float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxApply, along, {kBlock, kPlace, kPlace}), "float32 (2, 3, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxGradientSumPart, along, {kBlock, kBlock}), "float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxGradientApply, along, {kBlock, kBlock, kPlace}),
            "float32 (2, 3, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxSumPart, along, {kBlock, kBlock}),
            "input 1 must be float32 (2, 4), not float32 (2, 3, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxGradientSumPart, along, {kBlock, kPlace}),
            "input 1 must be float32 (2, 3, 4), not float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxSumPart, AxisAttributes{3}, {kBlock, kPlace}),
            "axis 3 is not a dimension of the input (2, 3, 4)");
  EXPECT_EQ(outcome(Operator::SoftmaxSumPart, {}, {kBlock, kPlace}),
            "takes the attributes of a softmax, and has none or others");
}

TEST(ClassLossContinued, GoesOnWithANumber) {
  const LossAttributes sum{.reduction = Reduction::Sum};
  const Operator kind = Operator::SoftmaxCrossEntropyContinued;
  EXPECT_EQ(outcome(kind, sum, {kBlock, kLabels, kNumber}), "float32 ()");
  EXPECT_EQ(outcome(kind, sum, {kBlock, kLabels, kNumber, float32({3})}), "float32 ()");
  EXPECT_EQ(outcome(kind, sum, {kBlock, kLabels, kPlace}),
            "the sum must be float32 (), not float32 (2, 4)");
  EXPECT_EQ(outcome(kind, LossAttributes{}, {kBlock, kLabels, kNumber}),
            "continues a sum: no mean, no list");
  EXPECT_EQ(outcome(Operator::LossMean, {}, {kNumber, kNumber}), "float32 ()");
  EXPECT_EQ(outcome(Operator::LossMean, {}, {kPlace, kNumber}),
            "the first input must be float32 (), not float32 (2, 4)");
}

TEST(ClassParts, AreBlocksOfClasses) {
  const ClassPartAttributes part{.begin = 4, .classes = 7};
  ClassPartAttributes each = part;
  each.reduction = Reduction::None;
  ClassPartAttributes smoothed = part;
  smoothed.label_smoothing = 0.5F;
  smoothed.continues = true;
  EXPECT_EQ(outcome(Operator::LabelCount, part, {kLabels, float32({7})}), "float32 ()");
  EXPECT_EQ(outcome(Operator::LabelScorePart, part, {kBlock, kLabels}), "float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::ClassScoreSumPart, part, {kBlock, kPlace, kPlace}), "float32 (2, 4)");
  const Operator end = Operator::SoftmaxCrossEntropyEnd;
  EXPECT_EQ(outcome(end, part, {kPlace, kPlace, kPlace, kLabels}), "float32 ()");
  EXPECT_EQ(outcome(end, each, {kPlace, kPlace, kPlace, kLabels}), "float32 (2, 4)");
  EXPECT_EQ(outcome(end, smoothed, {kPlace, kPlace, kPlace, kLabels, kPlace, kNumber}),
            "float32 ()");
  const Operator block = Operator::SoftmaxCrossEntropyGradientBlock;
  EXPECT_EQ(outcome(block, part, {kBlock, kPlace, kPlace, kLabels, kNumber}), "float32 (2, 3, 4)");
  EXPECT_EQ(outcome(block, each, {kBlock, kPlace, kPlace, kLabels, kPlace}), "float32 (2, 3, 4)");
}

TEST(ClassParts, RefuseWhatDoesNotFit) {
  const ClassPartAttributes part{.begin = 4, .classes = 7};
  ClassPartAttributes other = part;
  other.begin = 5;
  EXPECT_EQ(outcome(Operator::LabelScorePart, other, {kBlock, kLabels}),
            "3 classes from 5 on are no block of 7");
  other = part;
  other.reduction = Reduction::Mean;
  EXPECT_EQ(outcome(Operator::LabelScorePart, other, {kBlock, kLabels}),
            "makes no mean: that is loss_mean's");
  other = part;
  other.classes = 0;
  EXPECT_EQ(outcome(Operator::LabelCount, other, {kLabels}),
            "takes 1 to 2147483647 classes, not 0");
  EXPECT_EQ(outcome(Operator::LabelScorePart, part, {kBlock, kPlace}),
            "the labels must be int32 or int64, not float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::LabelScorePart, part, {kBlock, int64({2})}),
            "the labels must be int64 (2, 4), not int64 (2)");
  EXPECT_EQ(
      outcome(Operator::SoftmaxCrossEntropyEnd, part, {kPlace, kPlace, kPlace, kLabels, kNumber}),
      "takes 4 inputs, not 5");
  EXPECT_EQ(outcome(Operator::SoftmaxCrossEntropyGradientBlock, part,
                    {kBlock, kPlace, kPlace, kLabels, kPlace}),
            "dloss must be float32 (), not float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::ClassScoreSumPart, LossAttributes{}, {kBlock, kPlace, kPlace}),
            "takes the attributes of a part of classes, and has none or others");
}

}  // namespace
}  // namespace poet
