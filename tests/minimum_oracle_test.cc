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
#include "poet/problem/problem_json.h"
#include "poet/solve/budget_solver.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/random_problem.h"

namespace poet::testing {
namespace {

constexpr std::uint64_t kSeedsOfBlock = 600;

struct Block {
  bool paging = true;
  bool rematerialisation = true;
  TimeMode mode = TimeMode::Free;
  std::uint64_t first_seed = 0;
};

void PrintTo(const Block& block, std::ostream* out) {
  *out << (block.paging ? "paging" : "no paging")
       << (block.rematerialisation ? ", rematerialisation" : ", no rematerialisation")
       << (block.mode == TimeMode::Free ? ", free" : ", blocking");
}

std::vector<Block> every_block() {
  std::vector<Block> blocks;
  std::uint64_t seed = 9'000'000;
  for (const bool paging : {true, false})
    for (const bool rematerialisation : {true, false})
      for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking})
        blocks.push_back({paging, rematerialisation, mode, seed += 100'000});
  return blocks;
}

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

class EveryMinimum : public ::testing::TestWithParam<Block> {};

// Once with models of all events from the start, once with pricing: also where deadlines are so
// tight that budgets above the largest working set do not work.
TEST_P(EveryMinimum, BudgetIsTheOracles) {
  RandomProblemOptions options;
  options.paging = GetParam().paging;
  options.rematerialisation = GetParam().rematerialisation;
  options.time_mode = GetParam().mode;
  for (std::uint64_t seed = GetParam().first_seed; seed < GetParam().first_seed + kSeedsOfBlock;
       ++seed) {
    const Problem problem = random_problem(options, seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + problem_text(problem));
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

INSTANTIATE_TEST_SUITE_P(Random, EveryMinimum, ::testing::ValuesIn(every_block()));

}  // namespace
}  // namespace poet::testing
