#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"
#include "poet/graph/weight_update.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::flop;
using testing::int64;
using testing::outcome;
using testing::with_outputs;

const TensorType kTable = float32({9, 4});

OperationTypes update_of(std::vector<TensorType> inputs) {
  return {.kind = Operator::RowUpdate, .inputs = std::move(inputs)};
}

TEST(RowUpdate, MakesTheNewTableInThePlaceOfTheOldOne) {
  const OperatorEntry& entry = entry_of(Operator::RowUpdate);
  EXPECT_TRUE(entry.once);
  EXPECT_EQ(entry.updates, (std::vector<SharedPlace>{{0, 0}}));
  EXPECT_EQ(outcome(update_of({kTable, int64({2, 3}), float32({2, 3, 4}), step_type()})),
            "float32 (9, 4)");
}

TEST(RowUpdate, RefusesOtherTypes) {
  EXPECT_EQ(outcome(update_of({int64({9, 4}), int64({5}), float32({5, 4}), step_type()})),
            "the table must be float32, not int64 (9, 4)");
  EXPECT_EQ(outcome(update_of({float32({}), int64({5}), float32({5}), step_type()})),
            "the table must have rows, and is one number");
  EXPECT_EQ(outcome(update_of({kTable, float32({5}), float32({5, 4}), step_type()})),
            "the indices must be int32 or int64, not float32 (5)");
  EXPECT_EQ(outcome(update_of({kTable, int64({5}), float32({5, 3}), step_type()})),
            "the gradient must be float32 (5, 4), not float32 (5, 3)");
  EXPECT_EQ(outcome(update_of({kTable, int64({5}), float32({5, 4}), float32({5})})),
            "the step must be " + to_text(step_type()) + ", not float32 (5)");
}

TEST(RowUpdate, CountsTheRowsThatArePicked) {
  const OperationTypes types =
      with_outputs(update_of({kTable, int64({5}), float32({5, 4}), step_type()}));
  EXPECT_EQ(flop(types), 3 * 5 * 4);
  EXPECT_EQ(entry_of(Operator::RowUpdate).moved_bytes(types), 5 * 8 + 3 * 5 * 4 * 4);
  EXPECT_EQ(call_text(types), "poet_row_update_f32_i64(0, 1, 2, 3 -> 0) rows=9 inner=4 count=5");
  EXPECT_EQ(entry_of(Operator::RowUpdate).kernel(types).workspace_bytes, 16);
}

// --- In the place of a gradient and its update

struct Pair {
  Graph graph;
  GraphOperation gradient;
  GraphOperation update;
};

Pair pair_of(std::int64_t rows, std::int64_t indices, UpdateAttributes constants) {
  Pair pair;
  const TensorType table = float32({rows, 4});
  pair.graph.tensors = {{.name = "table", .type = table},
                        {.name = "ids", .type = int64({indices})},
                        {.name = "dy", .type = float32({indices, 4})},
                        {.name = "gradient", .type = table},
                        {.name = "step", .type = step_type()},
                        {.name = "table.new", .type = table}};
  pair.gradient = {.name = "gradient",
                   .kind = Operator::GatherGradient,
                   .attributes = AxisAttributes{0},
                   .inputs = {TensorId{1}, TensorId{2}},
                   .outputs = {TensorId{3}}};
  pair.update = {.name = "update",
                 .kind = Operator::Sgd,
                 .attributes = constants,
                 .inputs = {TensorId{0}, TensorId{3}, TensorId{4}},
                 .outputs = {TensorId{5}}};
  return pair;
}

std::optional<GraphOperation> joined(const Pair& pair) {
  return joined(pair.graph, pair.gradient, pair.update);
}

TEST(RowUpdate, StandsForALookupsGradientAndPlainSgd) {
  const std::optional<GraphOperation> both = joined(pair_of(9, 5, {}));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->kind, Operator::RowUpdate);
  EXPECT_EQ(both->inputs,
            (std::vector<TensorId>{TensorId{0}, TensorId{1}, TensorId{2}, TensorId{4}}));
  EXPECT_EQ(both->outputs, std::vector<TensorId>{TensorId{5}});
}

TEST(RowUpdate, StandsForNothingThatChangesEveryRow) {
  EXPECT_FALSE(joined(pair_of(9, 5, {.weight_decay = 0.5F})));
  EXPECT_FALSE(joined(pair_of(5, 5, {})));  // as many indices as rows
  Pair other = pair_of(9, 5, {});
  other.update.inputs.push_back(TensorId{4});  // clipped
  EXPECT_FALSE(joined(other));
  other = pair_of(9, 5, {});
  other.gradient.attributes = AxisAttributes{1};
  EXPECT_FALSE(joined(other));
  other = pair_of(9, 5, {});
  other.update.kind = Operator::Velocity;
  EXPECT_FALSE(joined(other));
}

}  // namespace
}  // namespace poet
