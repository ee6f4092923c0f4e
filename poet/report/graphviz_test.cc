#include "poet/report/graphviz.h"

#include <gtest/gtest.h>

#include "poet/report/sample_step.h"

namespace poet {
namespace {

Problem weight_and_view() {
  Problem problem;
  problem.name = "a \"name\"";
  problem.tensors = {sample::tensor("w"), sample::tensor("y")};
  problem.tensors[0].home = Home::Storage;
  problem.operations = {sample::operation("back\\slash", {0}, 1)};
  return problem;
}

TEST(GraphvizDot, DrawsOperationsTensorsAndArrows) {
  EXPECT_EQ(
      graphviz_dot(weight_and_view()),
      "digraph \"a \\\"name\\\"\" {\n"
      "  graph [nslimit=2, nslimit1=2];\n"
      "  node [shape=box, style=\"filled,rounded\", fillcolor=\"#ffffff\", color=\"#566274\", "
      "fontname=\"Helvetica\", fontsize=11];\n"
      "  edge [color=\"#566274\", arrowsize=0.7];\n"
      "  tensor0 [label=\"w\\n100 B\", shape=cylinder, fillcolor=\"#ecdcae\"];\n"
      "  op0 [label=\"back\\\\slash\\n100 B\"];\n"
      "  tensor0 -> op0;\n"
      "}\n");
}

TEST(GraphvizDot, ShowsWhatTheScheduleDoes) {
  const std::string dot = graphviz_dot(sample::five_operations(), sample::paging_and_recomputing());
  EXPECT_NE(dot.find("op1 [label=\"f1\\n100 B\\nruns 2 times\", color=\"#d55e00\", penwidth=2.5];"),
            std::string::npos);
  EXPECT_NE(
      dot.find("op0 -> op4 [constraint=false, style=dashed, color=\"#b3478f\", penwidth=1.5];"),
      std::string::npos);
  EXPECT_NE(dot.find("op4 -> op3 [dir=back];"), std::string::npos);
  EXPECT_NE(dot.find("op3 [label=\"b2\\n100 B\", fillcolor=\"#e3e8ee\"];"), std::string::npos);
}

}  // namespace
}  // namespace poet
