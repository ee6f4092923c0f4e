// A deadline that is the sum of the times of a step can be kept, in whatever order they are added:
// decimal times are rounded to binary one by one, and their sum to other bits in each order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "poet/overlap/planner.h"
#include "poet/problem/problem.h"
#include "poet/verify/replay.h"
#include "support/random_cases.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

// The standard's distributions differ between libraries; its engines do not.
struct Dice {
  std::mt19937_64 engine;
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(count));
  }
};

// Times of so many decimal places, and what they are whole multiples of.
struct DecimalTimes {
  double unit_per_s = 100;
  std::vector<std::int64_t> units = {};

  double draw_s(Dice& dice, std::int64_t most) {
    units.push_back(dice.below(most));
    return static_cast<double>(units.back()) / unit_per_s;
  }
};

// Operations one after the other, of which some read a home in storage; RAM for everything.
Problem chain(Dice& dice, DecimalTimes& times) {
  Problem problem;
  problem.ram_budget_bytes = 10'000;
  problem.time_mode = dice.below(2) == 0 ? TimeMode::Free : TimeMode::Blocking;
  problem.objective = dice.below(4) == 0 ? Objective::Time : Objective::Energy;
  problem.paging_allowed = dice.below(2) == 0;
  problem.rematerialisation_allowed = dice.below(2) == 0;
  times.unit_per_s = std::vector<double>{10, 100, 1'000, 1'000'000}[dice.engine() % 4];
  const auto add_tensor = [&](Home home) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(problem.tensors.size());
    tensor.size_bytes = 1 + dice.below(20);
    tensor.home = home;
    tensor.page_in_j = tensor.page_out_j = 1;
    tensor.page_out_s = 1;
    if (home == Home::Storage && problem.time_mode == TimeMode::Blocking)
      tensor.page_in_s = times.draw_s(dice, 500);
    problem.tensors.push_back(tensor);
    return TensorId{static_cast<std::int32_t>(problem.tensors.size() - 1)};
  };
  const std::int64_t length = 2 + dice.below(6);
  for (std::int64_t v = 0; v < length; ++v) {
    Operation operation;
    operation.name = "v" + std::to_string(v);
    if (v > 0) operation.inputs = problem.operations.back().outputs;
    if (dice.below(3) == 0) operation.inputs.push_back(add_tensor(Home::Storage));
    operation.outputs = {add_tensor(Home::Made)};
    operation.compute_j = 1;
    operation.compute_s = times.draw_s(dice, 500);
    problem.operations.push_back(operation);
  }
  return problem;
}

// As a user writes the sum: all its decimal places, then rounded once. Or added up in some order.
double some_sum_s(Dice& dice, DecimalTimes times) {
  if (dice.below(2) == 0) {
    std::int64_t units = 0;
    for (const std::int64_t one : times.units) units += one;
    return static_cast<double>(units) / times.unit_per_s;
  }
  for (std::size_t n = times.units.size(); n > 1; --n)
    std::swap(times.units[n - 1], times.units[dice.engine() % n]);
  double sum_s = 0;
  for (const std::int64_t one : times.units) sum_s += static_cast<double>(one) / times.unit_per_s;
  return sum_s;
}

class EveryChain : public ::testing::TestWithParam<std::uint64_t> {};

constexpr std::uint64_t kChainSeedsOfBlock = 5'000;

TEST_P(EveryChain, IsFeasibleWithinTheSumOfItsTimes) {
  const auto solver = planner_table().front().make();
  const std::uint64_t first = GetParam() * kChainSeedsOfBlock;
  for (std::uint64_t seed = first; seed < first + random_cases(kChainSeedsOfBlock); ++seed) {
    Dice dice{std::mt19937_64(seed)};
    DecimalTimes times;
    Problem problem = chain(dice, times);
    problem.deadline_s = some_sum_s(dice, times);
    const ShownOnFailure shown(problem, seed);
    const Result<SolveReport> report = solver->solve(problem, {}, {}, {});
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(report->status, SolveStatus::Optimal);
    ASSERT_TRUE(replay(problem, *report->best).valid());
    // Two billionths less are not the same deadline.
    problem.deadline_s = *problem.deadline_s * (1 - 2e-9);
    if (*problem.deadline_s == 0) continue;
    const Result<SolveReport> shorter = solver->solve(problem, {}, {}, {});
    ASSERT_TRUE(shorter.ok());
    ASSERT_EQ(shorter->status, SolveStatus::Infeasible);
  }
}

INSTANTIATE_TEST_SUITE_P(Decimal, EveryChain, ::testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace poet::testing
