#include "poet/measure/time_graph.h"

#include <gtest/gtest.h>

#include <cstring>

#include "poet/graph/operator.h"

namespace poet {
namespace {

// A lookup of 64 rows in a table of 3, through a view of the indices: indices, table, flat, rows.
Graph lookup() {
  Graph graph;
  const TensorId indices = add_tensor(graph, {.name = "indices",
                                              .type = {ElementType::Int64, {8, 8}},
                                              .role = TensorRole::Input,
                                              .home = Home::Storage});
  const TensorId table = add_tensor(graph, {.name = "table",
                                            .type = {ElementType::Float32, {3, 2}},
                                            .role = TensorRole::Parameter,
                                            .home = Home::Storage});
  const TensorId flat = add_operation(graph, {.name = "flat",
                                              .kind = Operator::Reshape,
                                              .attributes = ShapeAttributes{{64}},
                                              .inputs = {indices}})
                            ->front();
  (void)*add_operation(graph, {.name = "rows",
                               .kind = Operator::Gather,
                               .attributes = AxisAttributes{.axis = 0},
                               .inputs = {table, flat}});
  return graph;
}

TEST(ValueFor, KeepsIndicesInTheTableAlsoThroughAView) {
  const TensorValue value = value_for(lookup(), TensorId{0});
  EXPECT_EQ(value.type, (TensorType{ElementType::Int64, {8, 8}}));
  std::vector<std::int64_t> indices(64);
  ASSERT_EQ(value.bytes.size(), 64 * sizeof(std::int64_t));
  std::memcpy(indices.data(), value.bytes.data(), value.bytes.size());
  for (const std::int64_t index : indices) EXPECT_TRUE(0 <= index && index < 3);
}

TEST(TimeGraph, TimesEachPassButTheFirst) {
  const Graph graph = lookup();
  const TensorValue indices = value_for(graph, TensorId{0});
  const TensorValue table = value_for(graph, TensorId{1});
  double now_s = 0;
  const auto timed = time_graph(
      graph, {{TensorId{0}, view_of(indices)}, {TensorId{1}, view_of(table)}}, {TensorId{3}},
      {.passes = 4}, {.token = {}, .elapsed_s = [&now_s] { return now_s += 0.5; }});
  ASSERT_TRUE(timed.ok());
  EXPECT_EQ(*timed, (Quartiles{0.5, 0.5, 0.5}));
}

TEST(TimeGraph, HasNoAnswerWhenItIsStoppedBefore) {
  std::stop_source source;
  source.request_stop();
  const auto timed = time_graph(lookup(), {}, {}, {},
                                {.token = source.get_token(), .elapsed_s = [] { return 0.0; }});
  ASSERT_TRUE(timed.ok());
  EXPECT_FALSE(timed->has_value());
}

TEST(TimeGraph, RefusesAMissingValue) {
  EXPECT_FALSE(
      time_graph(lookup(), {}, {TensorId{3}}, {}, {.token = {}, .elapsed_s = [] { return 0.0; }})
          .ok());
}

}  // namespace
}  // namespace poet
