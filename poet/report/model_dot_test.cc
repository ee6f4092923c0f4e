#include "poet/report/model_dot.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

// Four products in a row, each with a parameter of its own.
Graph chain() {
  Graph graph;
  const TensorType type{ElementType::Float32, {2, 2}};
  graph.name = "a \"chain\"";
  TensorId x = add_tensor(
      graph, {.name = "x", .type = type, .role = TensorRole::Input, .home = Home::Storage});
  for (const std::string name : {"a", "b", "c", "d"}) {
    const TensorId weight = add_tensor(graph, {.name = name + ".weight",
                                               .type = type,
                                               .role = TensorRole::Parameter,
                                               .home = Home::Storage});
    x = add_operation(graph, {.name = name,
                              .kind = Operator::MatMul,
                              .attributes = MatMulAttributes{},
                              .inputs = {x, weight}})
            ->front();
  }
  return graph;
}

TEST(ModelDot, DrawsARepeatedPieceOnceInAFrame) {
  const std::string text = model_dot(chain());
  EXPECT_NE(text.find("digraph \"a \\\"chain\\\"\" {"), std::string::npos);
  EXPECT_NE(text.find("input0 [label=\"x\\nfloat32 (2, 2)\", shape=ellipse"), std::string::npos);
  EXPECT_NE(text.find("label=\"3 times the same, from b to d\""), std::string::npos);
  EXPECT_NE(text.find("layer1 [label=\"b\\nmatmul\\n(2, 2)\\n4 parameters\""), std::string::npos);
  EXPECT_EQ(text.find("layer2"), std::string::npos);
  EXPECT_NE(text.find("layer1 -> layer1 [style=dashed, constraint=false];"), std::string::npos);
}

TEST(ModelDot, DrawsASmallNetworkInFull) {
  Graph graph = chain();
  graph.operations.resize(2);
  const std::string text = model_dot(graph);
  EXPECT_EQ(text.find("cluster"), std::string::npos);
  EXPECT_NE(text.find("  input0 -> layer0;\n  layer0 -> layer1;\n"), std::string::npos);
}

}  // namespace
}  // namespace poet
