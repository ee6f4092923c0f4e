// The least RAM budget and the shortest deadline against the oracle, on random instances with every
// feature that a problem can have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/solve/budget_solver.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/instance_block.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr std::uint64_t kMinimumSeedsOfBlock = random_cases(600);

void expect_least(Problem problem, const BudgetReport& report) {
  const std::optional<std::int64_t> least = least_ram_budget(problem);
  if (!least) {
    EXPECT_EQ(report.least.status, SolveStatus::Infeasible);
    EXPECT_FALSE(report.least.schedule);
    return;
  }
  ASSERT_EQ(report.least.status, SolveStatus::Optimal);
  EXPECT_EQ(report.least.found_bytes, *least);
  EXPECT_EQ(report.least.proved_bytes, *least);
  ASSERT_TRUE(report.least.schedule);
  problem.ram_budget_bytes = *least;
  const Replay replayed = replay(problem, *report.least.schedule);
  EXPECT_TRUE(replayed.valid()) << replayed.findings.front().message;
  EXPECT_EQ(replayed.peak_ram_bytes, *least);
}

class EveryMinimum : public ::testing::TestWithParam<InstanceBlock> {};

// Once with models of all events from the start, once with pricing: also where deadlines are so
// tight that budgets above the largest working set do not work.
TEST_P(EveryMinimum, BudgetIsTheOracles) {
  const RandomProblemOptions options = options_of(GetParam());
  for (std::uint64_t seed = GetParam().first_seed;
       seed < GetParam().first_seed + kMinimumSeedsOfBlock; ++seed) {
    const Problem problem = random_problem(options, seed);
    const ShownOnFailure shown(problem, seed);
    SolveOptions solve;
    solve.gap_ratio = 0;
    solve.few_events = seed % 2 == 0 ? 250 : 0;
    solve.first_depth = 1;
    const Result<BudgetReport> report = solve_least_budget(problem, solve, {}, {});
    ASSERT_TRUE(report.ok());
    expect_least(problem, *report);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, EveryMinimum,
                         ::testing::ValuesIn(every_block(9'000'000, 100'000)));

}  // namespace
}  // namespace poet::testing
