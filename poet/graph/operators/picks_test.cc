// Operators that choose values along an axis, and that pick and place them by indices.
#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::flop;
using testing::gradient_texts;
using testing::gradient_types;
using testing::int32;
using testing::int64;
using testing::moved_bytes;
using testing::operation;
using testing::outcome;
using Texts = std::vector<std::string>;

TEST(TopK, MakesValuesAndPlaces) {
  const TopKAttributes three{.axis = 1, .count = 3};
  EXPECT_EQ(outcome(Operator::TopK, three, {float32({2, 7, 4})}),
            "float32 (2, 3, 4), int64 (2, 3, 4)");
  EXPECT_EQ(outcome(Operator::TopK, three, {float32({2, 2})}), "3 values are to be chosen of 2");
  EXPECT_EQ(outcome(Operator::TopK, three, {float32({7})}),
            "axis 1 is out of range for float32 (7)");
  EXPECT_EQ(outcome(Operator::TopK, three, {int64({2, 7})}),
            "the input must be float32, not int64 (2, 7)");
  EXPECT_EQ(outcome(Operator::TopK, {}, {float32({7})}),
            "takes the attributes of a choice of the largest values, and has none or others");
}

TEST(TopK, PassesTheGradientToWhereTheValuesStood) {
  const OperationTypes types =
      operation(Operator::TopK, TopKAttributes{.axis = 1, .count = 3, .largest = false},
                {float32({2, 7, 4})});
  EXPECT_EQ(gradient_texts(types), Texts{"gather_elements_gradient(y1, dy) by 0"});
  EXPECT_EQ(call_text(gradient_types(types, 0)),
            "poet_gather_elements_gradient_f32(0, 1 -> 0) element_bytes=4 index_bytes=8 outer=2 "
            "axis=7 inner=4 count=3");
  EXPECT_EQ(call_text(types),
            "poet_top_k_forward_f32(0 -> 0, 1) outer=2 axis=7 inner=4 count=3 largest=0");
}

TEST(Arg, MakesPlacesOfNumbersOfThreeTypes) {
  const ArgAttributes along{.axis = 1};
  EXPECT_EQ(outcome(Operator::ArgMax, along, {float32({2, 7, 4})}), "int64 (2, 1, 4)");
  EXPECT_EQ(outcome(Operator::ArgMin, along, {int32({2, 7})}), "int64 (2, 1)");
  EXPECT_EQ(outcome(Operator::ArgMax, along, {testing::boolean({2, 7})}),
            "the input must be float32, int32 or int64, not bool (2, 7)");
  EXPECT_EQ(call_text(operation(Operator::ArgMin, ArgAttributes{.axis = 0, .last = true},
                                {int64({5, 3})})),
            "poet_arg_min_forward_i64(0 -> 0) element_bytes=8 outer=1 axis=5 inner=3 last=1");
  EXPECT_EQ(entry_of(Operator::ArgMax).gradient.value(), nullptr);
}

TEST(GatherElements, HasTheShapeOfTheIndices) {
  const AxisAttributes second{1};
  EXPECT_EQ(outcome(Operator::GatherElements, second, {float32({2, 7, 4}), int64({2, 9, 4})}),
            "float32 (2, 9, 4)");
  EXPECT_EQ(outcome(Operator::GatherElements, second, {float32({2, 7, 4}), int64({2, 9, 3})}),
            "the indices int64 (2, 9, 3) must have the extents of float32 (2, 7, 4) but along "
            "axis 1");
  EXPECT_EQ(outcome(Operator::GatherElements, second, {float32({2, 7}), int64({2})}),
            "the indices int64 (2) must have the extents of float32 (2, 7) but along axis 1");
  EXPECT_EQ(outcome(Operator::GatherElements, second, {float32({2, 7}), float32({2, 1})}),
            "the indices must be int32 or int64, not float32 (2, 1)");
  EXPECT_EQ(outcome(Operator::GatherElements, AxisAttributes{2}, {float32({2, 7}), int64({2, 1})}),
            "axis 2 is out of range for float32 (2, 7)");
}

TEST(GatherElements, ReadsWhatItPicksAndAddsUpItsGradient) {
  const OperationTypes types =
      operation(Operator::GatherElements, AxisAttributes{1}, {float32({2, 700}), int32({2, 3})});
  EXPECT_EQ(moved_bytes(types), 24 + 2 * 24);
  EXPECT_EQ(gradient_texts(types), Texts{"gather_elements_gradient(x1, dy) by 0"});
  EXPECT_EQ(entry_of(Operator::GatherElementsGradient).flop(gradient_types(types, 0)), 6);
}

TEST(GatherNd, PicksBehindTheBatch) {
  const GatherNdAttributes batch{.batch = 1};
  EXPECT_EQ(
      outcome(Operator::GatherNd, {GatherNdAttributes{}}, {float32({2, 7, 4}), int64({5, 2})}),
      "float32 (5, 4)");
  EXPECT_EQ(outcome(Operator::GatherNd, batch, {float32({2, 7, 4}), int64({2, 3, 1})}),
            "float32 (2, 3, 4)");
  EXPECT_EQ(outcome(Operator::GatherNd, batch, {float32({2, 7, 4}), int64({3, 3, 1})}),
            "the indices int64 (3, 3, 1) do not fit float32 (2, 7, 4) with 1 dimensions in front");
  EXPECT_EQ(outcome(Operator::GatherNd, batch, {float32({2, 7}), int64({2, 2})}),
            "the indices int64 (2, 2) do not fit float32 (2, 7) with 1 dimensions in front");
  const OperationTypes types =
      operation(Operator::GatherNd, batch, {float32({2, 7, 4}), int64({2, 3, 1})});
  EXPECT_EQ(call_text(types),
            "poet_gather_nd_forward(0, 1 -> 0) element_bytes=4 index_bytes=8 batch=2 picks=3 "
            "width=1 inner=4 extents=7,1..");
  EXPECT_EQ(gradient_texts(types), Texts{"gather_nd_gradient(x1, dy) by 0"});
}

TEST(ScatterElements, HasTheShapeOfWhatIsScatteredInto) {
  const ScatterAttributes puts{.axis = 0};
  EXPECT_EQ(
      outcome(Operator::ScatterElements, puts, {float32({7, 2}), int64({3, 2}), float32({3, 2})}),
      "float32 (7, 2)");
  EXPECT_EQ(outcome(Operator::ScatterElements, puts, {int64({7, 2}), int64({3, 2}), int64({3, 2})}),
            "int64 (7, 2)");
  EXPECT_EQ(outcome(Operator::ScatterElements, ScatterAttributes{.adds = true},
                    {int64({7, 2}), int64({3, 2}), int64({3, 2})}),
            "x must be float32, not int64 (7, 2)");
  EXPECT_EQ(
      outcome(Operator::ScatterElements, puts, {float32({7, 2}), int64({3, 2}), float32({4, 2})}),
      "the updates must be float32 (3, 2), not float32 (4, 2)");
}

TEST(ScatterElements, GivesTheGradientToWhatStaysAndToWhatIsPlaced) {
  const std::vector<TensorType> inputs = {float32({7, 2}), int64({3, 2}), float32({3, 2})};
  const OperationTypes puts = operation(Operator::ScatterElements, ScatterAttributes{}, inputs);
  EXPECT_EQ(gradient_texts(puts), (Texts{"scatter_elements_kept_gradient(x1, dy) by 0",
                                         "scatter_elements_update_gradient(x1, dy) by 2"}));
  EXPECT_EQ(flop(puts), 0);
  const OperationTypes adds =
      operation(Operator::ScatterElements, ScatterAttributes{.adds = true}, inputs);
  EXPECT_EQ(gradient_texts(adds),
            (Texts{"broadcast_sum(dy) by 0", "gather_elements(dy, x1) by 2"}));
  EXPECT_EQ(flop(adds), 6);
}

}  // namespace
}  // namespace poet
