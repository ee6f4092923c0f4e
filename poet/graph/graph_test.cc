#include "poet/graph/graph.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

const TensorType kType{ElementType::Float32, {2, 3}};

Graph two_relus() {
  Graph graph;
  const TensorId x = add_tensor(
      graph, {.name = "x", .type = kType, .role = TensorRole::Input, .home = Home::Storage});
  const TensorId a =
      (*add_operation(graph, {.name = "a", .kind = Operator::Relu, .inputs = {x}}))[0];
  graph.outputs = *add_operation(graph, {.name = "b", .kind = Operator::Relu, .inputs = {a}});
  return graph;
}

TEST(AddOperation, MakesOutputsByTheOperatorsRule) {
  const Graph graph = two_relus();
  EXPECT_FALSE(check_graph(graph));
  ASSERT_EQ(graph.tensors.size(), 3U);
  EXPECT_EQ(graph.tensors[2].name, "b");
  EXPECT_EQ(graph.tensors[2].type, kType);
  EXPECT_EQ(graph.tensors[2].home, Home::Made);
  EXPECT_EQ(graph.operations[1].outputs, std::vector<TensorId>{TensorId{2}});
}

TEST(AddOperation, RefusesWhatTheRuleRefuses) {
  Graph graph;
  const TensorId labels = add_tensor(
      graph, {.name = "labels", .type = {ElementType::Int64, {4}}, .home = Home::Storage});
  const auto refused =
      add_operation(graph, {.name = "a", .kind = Operator::Relu, .inputs = {labels}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "a (relu): takes float32 values, not int64 (4)");
  EXPECT_TRUE(graph.operations.empty());

  const auto lonely = add_operation(graph, {.name = "a", .kind = Operator::Relu});
  ASSERT_FALSE(lonely.ok());
  EXPECT_EQ(lonely.error().message, "a (relu): takes 1 input, not 0");
}

TEST(CheckGraph, NamesTheOperationThatReadsTooEarly) {
  Graph graph = two_relus();
  std::swap(graph.operations[0], graph.operations[1]);
  EXPECT_EQ(check_graph(graph)->message, "b (relu): reads a tensor that is not made before it");
}

TEST(CheckGraph, RefusesTwoProducersAndNone) {
  Graph twice = two_relus();
  twice.operations[1].outputs = twice.operations[0].outputs;
  EXPECT_EQ(check_graph(twice)->message, "b (relu): makes a tensor that is there already");

  Graph none = two_relus();
  none.operations.pop_back();
  EXPECT_EQ(check_graph(none)->message, "b is made by no operation");
}

TEST(CheckGraph, RefusesIdsOutOfRangeAndNamesGivenTwice) {
  Graph out = two_relus();
  out.operations[1].inputs = {TensorId{7}};
  EXPECT_EQ(check_graph(out)->message, "b (relu): reads a tensor that is not made before it");
  Graph named = two_relus();
  named.tensors[2].name = "x";
  EXPECT_EQ(check_graph(named)->message, "two tensors are called x");
  named = two_relus();
  named.operations[1].name = "a";
  EXPECT_EQ(check_graph(named)->message, "two operations are called a");
}

TEST(CheckGraph, HoldsOutputsToTheOperatorsRule) {
  Graph graph = two_relus();
  graph.tensors[2].type.shape = {3, 2};
  EXPECT_EQ(check_graph(graph)->message,
            "b (relu): has outputs of other types than its rule gives");
}

}  // namespace
}  // namespace poet
