#include "poet/graph/stored_rows.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

constexpr TensorId t(std::int32_t id) {
  return TensorId{id};
}

// A table of 9 rows of 4 values is looked up, and its rows are updated.
Graph lookup_and_update() {
  Graph graph;
  const TensorType table{ElementType::Float32, {9, 4}};
  const TensorType rows{ElementType::Float32, {5, 4}};
  graph.tensors = {
      {.name = "table", .type = table, .role = TensorRole::Parameter, .home = Home::Storage},
      {.name = "ids", .type = {ElementType::Int64, {5}}, .home = Home::Storage},
      {.name = "rows", .type = rows},
      {.name = "dy", .type = rows},
      {.name = "step", .type = step_type(), .home = Home::Resident},
      {.name = "table.new", .type = table}};
  graph.operations = {
      {.name = "lookup",
       .kind = Operator::Gather,
       .attributes = AxisAttributes{0},
       .inputs = {t(0), t(1)},
       .outputs = {t(2)}},
      {.name = "gradient", .kind = Operator::Relu, .inputs = {t(2)}, .outputs = {t(3)}},
      {.name = "update",
       .kind = Operator::RowUpdate,
       .inputs = {t(0), t(1), t(3), t(4)},
       .outputs = {t(5)}}};
  return graph;
}

TEST(StoredRows, AreLookedUpAlongTheFirstAxisOfATableInStorage) {
  Graph graph = lookup_and_update();
  EXPECT_TRUE(reads_stored_rows(graph, graph.operations[0]));
  EXPECT_FALSE(reads_stored_rows(graph, graph.operations[1]));
  EXPECT_EQ(table_row_bytes(graph, graph.operations[2]), 16);
  EXPECT_EQ(most_rows_met(graph, graph.operations[2]), 5);
  graph.tensors[0].home = Home::Resident;
  EXPECT_FALSE(reads_stored_rows(graph, graph.operations[0]));
}

TEST(StoredRows, AreUpdatedWhereNothingElseReadsTheTable) {
  Graph graph = lookup_and_update();
  EXPECT_EQ(updates_of_stored_rows(graph), (std::vector<bool>{false, false, true}));
  graph.operations[1].inputs = {t(0)};
  EXPECT_EQ(updates_of_stored_rows(graph), (std::vector<bool>{false, false, false}));
  graph = lookup_and_update();
  graph.tensors[0].home = Home::Resident;
  EXPECT_EQ(updates_of_stored_rows(graph), (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace poet
