#include "poet/methods/min_cut.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "poet/verify/replay.h"

namespace poet {
namespace {

struct Graph {
  Problem problem = {};

  TensorId add(std::int64_t bytes, double compute_s, std::vector<TensorId> inputs, bool backward) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(problem.tensors.size());
    tensor.size_bytes = bytes;
    problem.tensors.push_back(tensor);
    Operation operation;
    operation.name = tensor.name;
    operation.inputs = std::move(inputs);
    operation.outputs = {TensorId{static_cast<std::int32_t>(problem.tensors.size()) - 1}};
    operation.compute_s = operation.compute_j = compute_s;
    operation.backward = backward;
    problem.operations.push_back(operation);
    return operation.outputs[0];
  }
};

// A matrix product of 100 s, four pointwise operations of 1 s on 8 bytes each, and their gradients,
// each of which reads what its forward operation read.
Problem pointwise_chain() {
  Graph graph;
  std::vector<TensorId> activations = {graph.add(8, 100, {}, false)};
  for (int k = 0; k < 4; ++k) activations.push_back(graph.add(8, 1, {activations.back()}, false));
  TensorId gradient = graph.add(8, 1, {activations.back()}, true);
  for (int k = 3; k >= 0; --k) gradient = graph.add(8, 1, {gradient, activations[k]}, true);
  graph.problem.ram_budget_bytes = 1000;
  return graph.problem;
}

// Their first example (the announcement of PyTorch's partitioner): of a
// chain of pointwise operations autograd saves every input, the cut only the first.
TEST(MinCut, SavesOnlyTheInputOfAChainOfCheapOperations) {
  const Problem problem = pointwise_chain();
  const OperationId backward{5};
  EXPECT_EQ(saved_by_cut(problem, backward, {false, true, true, true, true}),
            std::vector<TensorId>{TensorId{0}});
  EXPECT_EQ(saved_by_cut(problem, backward, std::vector<bool>(5, false)).size(), 5u);
}

// t0 (8 bytes) -> t1 (2) -> t2 (8) -> t3 (8), and the backward pass reads t2 and t3.
TEST(MinCut, CutsAtTheNarrowestPlace) {
  Graph graph;
  const TensorId t0 = graph.add(8, 100, {}, false);
  const TensorId t1 = graph.add(2, 1, {t0}, false);
  const TensorId t2 = graph.add(8, 1, {t1}, false);
  const TensorId t3 = graph.add(8, 1, {t2}, false);
  const TensorId t4 = graph.add(1, 1, {t3}, true);
  graph.add(1, 1, {t2, t4}, true);
  EXPECT_EQ(saved_by_cut(graph.problem, OperationId{4}, {false, true, true, true}),
            std::vector<TensorId>{t1});
  EXPECT_EQ(saved_by_cut(graph.problem, OperationId{4}, {false, true, true, false}),
            (std::vector<TensorId>{t1, t3}));
}

// t0 -> t1 and t0 -> t2, both read by the backward pass: one tensor of 5 instead of two of 3.
TEST(MinCut, SavesTheInputOfSeveral) {
  Graph graph;
  const TensorId t0 = graph.add(5, 100, {}, false);
  const TensorId t1 = graph.add(3, 1, {t0}, false);
  const TensorId t2 = graph.add(3, 1, {t0}, false);
  graph.add(1, 1, {t1, t2}, true);
  EXPECT_EQ(saved_by_cut(graph.problem, OperationId{3}, {false, true, true}),
            std::vector<TensorId>{t0});
  graph.problem.tensors[0].size_bytes = 7;
  EXPECT_EQ(saved_by_cut(graph.problem, OperationId{3}, {false, true, true}),
            (std::vector<TensorId>{t1, t2}));
}

TEST(MinCut, KeepsEverythingWhereItFitsAndRecomputesTheCheapWhereItDoesNot) {
  Problem problem = pointwise_chain();
  SolveReport report = *make_min_cut()->solve(problem, {}, {}, {});
  EXPECT_EQ(report.objective, 109);
  problem.ram_budget_bytes = 40;  // keeping everything needs 48
  report = *make_min_cut()->solve(problem, {}, {}, {});
  ASSERT_EQ(report.status, SolveStatus::Feasible);
  const Replay replayed = replay(problem, *report.best);
  EXPECT_LE(replayed.peak_ram_bytes, 40);
  EXPECT_GT(replayed.recomputed_operations, 0);
  EXPECT_LT(report.objective, 109 + 5);  // the costly product is not run again
}

TEST(MinCut, NeedsToKnowWhereTheBackwardPassBegins) {
  Problem problem = pointwise_chain();
  for (Operation& operation : problem.operations) operation.backward = false;
  const Result<SolveReport> report = make_min_cut()->solve(problem, {}, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(report.error().message,
            "the method needs a forward and a backward pass, and the graph does not say which "
            "operations are which");
}

TEST(Knapsack, IsTheBestOfAllSubsets) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 dice(seed);
    const std::size_t items = dice() % 9;
    std::vector<std::int64_t> weights;
    std::vector<double> values;
    for (std::size_t n = 0; n < items; ++n) {
      weights.push_back(static_cast<std::int64_t>(dice() % 12));
      values.push_back(static_cast<double>(dice() % 20));
    }
    const auto most = static_cast<std::int64_t>(dice() % 40);
    const auto sums = [&](auto&& is_taken) {
      std::pair<std::int64_t, double> sum{0, 0};
      for (std::size_t n = 0; n < items; ++n)
        if (is_taken(n)) sum = {sum.first + weights[n], sum.second + values[n]};
      return sum;
    };
    const std::vector<bool> taken = best_knapsack(weights, values, most);
    const auto [weight, value] = sums([&](std::size_t n) { return taken[n]; });
    EXPECT_LE(weight, most) << "seed " << seed;
    for (std::uint32_t other = 0; other < (1u << items); ++other) {
      const auto [its_weight, its_value] = sums([&](std::size_t n) { return (other >> n) & 1; });
      EXPECT_TRUE(its_weight > most || value >= its_value) << "seed " << seed;
    }
  }
}

TEST(Knapsack, KeepsTheTotalWhereItCountsInUnits) {
  const std::vector<bool> taken =
      best_knapsack({1'000'000'007, 1'000'000'009, 999'999'937}, {5, 6, 4}, 2'000'000'000);
  EXPECT_EQ(taken, (std::vector<bool>{false, true, false}));
}

}  // namespace
}  // namespace poet
