#include "poet/measure/profile_graph.h"

#include <gtest/gtest.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

// Two ReLUs of one shape, a view, and a sigmoid.
Graph graph() {
  Graph graph;
  TensorId last = add_tensor(graph, {.name = "x",
                                     .type = {ElementType::Float32, {2, 4}},
                                     .role = TensorRole::Input,
                                     .home = Home::Storage});
  const auto add = [&](GraphOperation operation) {
    operation.inputs = {last};
    last = add_operation(graph, std::move(operation))->front();
  };
  add({.name = "relu_1", .kind = Operator::Relu});
  add({.name = "relu_2", .kind = Operator::Relu});
  add({.name = "flat", .kind = Operator::Reshape, .attributes = ShapeAttributes{{8}}});
  add({.name = "sigmoid", .kind = Operator::Sigmoid});
  return graph;
}

TEST(ProfileGraph, TimesEveryDifferentOperationOnce) {
  double now_s = 0;
  std::vector<std::string> told;
  const MeasuredCosts costs = profile_graph(
      graph(), {.samples = 3}, {}, {.token = {}, .elapsed_s = [&now_s] { return now_s += 0.5; }},
      [&told](const ProfileProgress& progress) {
        told.push_back(std::to_string(progress.done) + " of " + std::to_string(progress.all) + " " +
                       progress.now);
      });
  EXPECT_TRUE(costs.complete);
  ASSERT_EQ(costs.operations.size(), 2U);
  EXPECT_EQ(costs.operations[0].key, "relu (float32 (2, 4)) -> (float32 (2, 4))");
  EXPECT_EQ(costs.operations[0].kernels, "reference");
  EXPECT_EQ(costs.operations[0].seconds, 0.5);
  EXPECT_EQ(costs.operations[0].uses, 2);
  EXPECT_EQ(costs.operations[1].key, "sigmoid (float32 (8)) -> (float32 (8))");
  EXPECT_EQ(costs.operations[1].uses, 1);
  EXPECT_EQ(told, (std::vector<std::string>{"0 of 2 " + costs.operations[0].key,
                                            "1 of 2 " + costs.operations[1].key}));
}

TEST(ProfileGraph, KeepsWhatItHadWhenItIsStopped) {
  double now_s = 0;
  std::stop_source source;
  const MeasuredCosts costs =
      profile_graph(graph(), {.samples = 3}, {},
                    {.token = source.get_token(), .elapsed_s = [&now_s] { return now_s += 0.5; }},
                    [&source](const ProfileProgress& progress) {
                      if (progress.done == 1) source.request_stop();
                    });
  EXPECT_FALSE(costs.complete);
  EXPECT_EQ(costs.operations.size(), 1U);
}

}  // namespace
}  // namespace poet
