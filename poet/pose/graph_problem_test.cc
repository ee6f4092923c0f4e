#include "poet/pose/graph_problem.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

Device device() {
  Device device;
  device.time_mode = TimeMode::Blocking;
  device.compute = {.flop_per_s = 1024, .flop_per_j = 4096};
  device.storage.read = {.latency_s = 0.5, .rate_bytes_per_s = 64, .active_power_w = 0.25};
  device.storage.write = {.latency_s = 1, .rate_bytes_per_s = 32, .active_power_w = 0.5};
  return device;
}

TensorId input(Graph& graph, const std::string& name, const Shape& shape) {
  return add_tensor(graph, {.name = name,
                            .type = {ElementType::Float32, shape},
                            .role = TensorRole::Input,
                            .home = Home::Storage});
}

TensorId relu(Graph& graph, const std::string& name, TensorId x) {
  return (*add_operation(graph, {.name = name, .kind = Operator::Relu, .inputs = {x}}))[0];
}

Problem problem_of(const Graph& graph) {
  Problem problem = *graph_problem(graph, device(), 1);
  problem.ram_budget_bytes = 1 << 20;
  EXPECT_FALSE(check_problem(problem)) << check_problem(problem)->message;
  return problem;
}

TEST(GraphProblem, HasAnOperationAndATensorForEach) {
  Graph graph;
  const TensorId x = input(graph, "x", {2, 4});
  relu(graph, "a", x);
  const Problem problem = problem_of(graph);
  EXPECT_EQ(problem.time_mode, TimeMode::Blocking);
  ASSERT_EQ(problem.operations.size(), 1U);
  EXPECT_EQ(problem.operations[0].name, "a");
  EXPECT_EQ(problem.operations[0].compute_s, 8.0 / 1024);
  ASSERT_EQ(problem.tensors.size(), 2U);
  EXPECT_EQ(problem.tensors[0].home, Home::Storage);
  EXPECT_EQ(problem.tensors[1].size_bytes, 32);
  EXPECT_EQ(problem.tensors[1].page_in_s, 1.0);
}

TEST(GraphProblem, SharesTheBufferOfWhatTheGraphMade) {
  Graph graph;
  const TensorId a = relu(graph, "a", input(graph, "x", {2, 4}));
  const TensorId b = relu(graph, "b", a);
  const Problem problem = problem_of(graph);
  EXPECT_FALSE(problem.operations[0].in_place) << "x lies in storage, and stays what it is";
  EXPECT_EQ(problem.operations[1].in_place, (InPlace{a, b}));
}

}  // namespace
}  // namespace poet
