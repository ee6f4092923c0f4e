#include <gtest/gtest.h>

#include <limits>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::float32;
using testing::outcome;

const RowPartAttributes kLayer{.axis = 1, .begin = 8, .extent = 20};
const RowPartAttributes kBatch{.by_channel = true, .begin = 8, .extent = 20, .images = 2};
const TensorType kX = float32({3, 4});
const TensorType kPicture = float32({1, 3, 2, 2});
const TensorType kRow = float32({3});
const TensorType kColumn = float32({4});
const TensorType kState = float32({3, 10});
const TensorType kStates = float32({3, 2, 10});

RowPartAttributes continuing(RowPartAttributes part) {
  part.continues = true;
  return part;
}

TEST(RowParts, LeaveAStateOfEveryRow) {
  EXPECT_EQ(outcome(Operator::RowSumPart, kLayer, {kX}), "float32 (3, 10)");
  EXPECT_EQ(outcome(Operator::RowSumPart, continuing(kLayer), {kX, kState}), "float32 (3, 10)");
  EXPECT_EQ(outcome(Operator::RowSumPart, kBatch, {kPicture}), "float32 (3, 10)");
  EXPECT_EQ(outcome(Operator::RowSpreadPart, kBatch, {kPicture, kRow}), "float32 (3, 10)");
  EXPECT_EQ(outcome(Operator::RowGradientSumsPart, kBatch, {kPicture, kRow, kPicture}),
            "float32 (3, 2, 10)");
  EXPECT_EQ(outcome(Operator::LayerNormGradientSumsPart, continuing(kLayer),
                    {kX, kRow, kX, kColumn, kStates}),
            "float32 (3, 2, 10)");
}

TEST(RowParts, RefuseWhatDoesNotFit) {
  EXPECT_EQ(outcome(Operator::RowSumPart, {}, {kX}),
            "takes the attributes of a part of rows, and has none or others");
  EXPECT_EQ(outcome(Operator::RowSumPart, continuing(kLayer), {kX}), "takes 2 inputs, not 1");
  EXPECT_EQ(outcome(Operator::RowSumPart, kLayer, {kX, kState}), "takes 1 inputs, not 2");
  EXPECT_EQ(outcome(Operator::RowSumPart, continuing(kLayer), {kX, kStates}),
            "the state must be float32 (3, 10), not float32 (3, 2, 10)");
  EXPECT_EQ(outcome(Operator::RowSpreadPart, kLayer, {kX, kColumn}),
            "the centre must be float32 (3), not float32 (4)");
  EXPECT_EQ(outcome(Operator::RowGradientSumsPart, kLayer, {kX, kRow, kRow}),
            "dy must be float32 (3, 4), not float32 (3)");
  RowPartAttributes part = kLayer;
  part.begin = 17;
  EXPECT_EQ(outcome(Operator::RowSumPart, part, {kX}),
            "4 values from 17 on do not lie in a row of 20");
  part.begin = -1;
  EXPECT_EQ(outcome(Operator::RowSumPart, part, {kX}),
            "4 values from -1 on do not lie in a row of 20");
  part = kLayer;
  part.axis = 2;
  EXPECT_EQ(outcome(Operator::RowSumPart, part, {kX}),
            "axis 2 is not a dimension of the input (3, 4)");
  part = kLayer;
  part.extent = 0;
  EXPECT_EQ(outcome(Operator::RowSumPart, part, {kX}),
            "1 rows of 0 values are more than 2147483647 or none");
  part = kLayer;
  part.epsilon = std::numeric_limits<float>::infinity();
  EXPECT_EQ(outcome(Operator::RowSumPart, part, {kX}),
            "epsilon must be a number of at least 0, not inf");
  EXPECT_EQ(outcome(Operator::RowSumPart, kBatch, {float32({4})}),
            "takes (N, C, ...), not float32 (4)");
  EXPECT_EQ(outcome(Operator::RowSumPart, kBatch, {float32({2, 3, 4})}),
            "takes parts of rows of one image, not of 2");
  part = kBatch;
  part.begin = 0;
  EXPECT_EQ(outcome(Operator::RowSumPart, part, {float32({3, 3, 20})}), "has 3 images of 2");
}

TEST(RowParts, AreEndedRowByRow) {
  EXPECT_EQ(outcome(Operator::RowMean, kLayer, {float32({2, 3, 10})}), "float32 (2, 3)");
  EXPECT_EQ(outcome(Operator::RowMean, kLayer, {kX}), "takes a state (rows..., 10), not (3, 4)");
  EXPECT_EQ(outcome(Operator::LayerNormGradientFactors, kLayer, {kStates, kRow}),
            "float32 (3), float32 (3)");
  EXPECT_EQ(outcome(Operator::BatchNormGradientFactors, kBatch, {kState, kRow}),
            "the state must be float32 (3, 2, 10), not float32 (3, 10)");
}

TEST(NormParts, HaveTheTypeOfTheirPiece) {
  EXPECT_EQ(outcome(Operator::LayerNormApply, kLayer, {kX, kRow, kRow}), "float32 (3, 4)");
  EXPECT_EQ(outcome(Operator::LayerNormApply, kLayer, {kX, kRow, kRow, kColumn, kColumn}),
            "float32 (3, 4)");
  EXPECT_EQ(outcome(Operator::LayerNormGradientApply, kLayer, {kX, kRow, kRow, kX, kRow, kRow}),
            "float32 (3, 4)");
  EXPECT_EQ(outcome(Operator::LayerNormScaleGradient, kLayer, {kX, kRow, kRow, kX}),
            "float32 (4), float32 (4)");
  EXPECT_EQ(outcome(Operator::LayerNormGradientContinued, NormAttributes{.axis = 1},
                    {kX, kRow, kRow, kX, kColumn, kColumn, kColumn}),
            "float32 (3, 4), float32 (4), float32 (4)");
  EXPECT_EQ(outcome(Operator::BatchNormApply, kBatch, {kPicture, kRow, kRow, kRow, kRow}),
            "float32 (1, 3, 2, 2)");
  EXPECT_EQ(outcome(Operator::BatchNormGradientApply, kBatch,
                    {kPicture, kRow, kRow, kPicture, kRow, kRow, kRow}),
            "float32 (1, 3, 2, 2)");
}

TEST(NormParts, RefuseWhatDoesNotFit) {
  EXPECT_EQ(outcome(Operator::LayerNormApply, kBatch, {kPicture, kRow, kRow}),
            "does not go by channels");
  EXPECT_EQ(outcome(Operator::BatchNormApply, kLayer, {kX, kRow, kRow, kRow, kRow}),
            "goes by channels");
  EXPECT_EQ(outcome(Operator::LayerNormApply, kLayer, {kX, kRow, kRow, kColumn}),
            "takes 5 inputs, not 4");
  EXPECT_EQ(outcome(Operator::LayerNormApply, kLayer, {kX, kRow, kColumn}),
            "inverse_std must be float32 (3), not float32 (4)");
  EXPECT_EQ(
      outcome(Operator::LayerNormGradientApply, kLayer, {kX, kRow, kRow, kX, kRow, kRow, kRow}),
      "the scale must be float32 (4), not float32 (3)");
  EXPECT_EQ(outcome(Operator::LayerNormScaleGradient, continuing(kLayer),
                    {kX, kRow, kRow, kX, kColumn, kRow}),
            "the sum of dbias must be float32 (4), not float32 (3)");
  EXPECT_EQ(outcome(Operator::LayerNormGradientContinued, NormAttributes{.axis = 1},
                    {kX, kRow, kRow, kX, kColumn, kColumn, kRow}),
            "the sum of dbias must be float32 (4), not float32 (3)");
  EXPECT_EQ(outcome(Operator::LayerNormGradientContinued, kLayer,
                    {kX, kRow, kRow, kX, kColumn, kColumn, kColumn}),
            "takes the attributes of a norm, and has none or others");
}

}  // namespace
}  // namespace poet
