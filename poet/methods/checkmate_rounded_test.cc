
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "poet/methods/chain_for_tests.h"
#include "poet/methods/checkmate_rounded.h"
#include "poet/methods/restricted.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

StageKept nothing_kept(const Problem& problem) {
  return StageKept(problem.operations.size(), std::vector<bool>(problem.tensors.size(), false));
}

TEST(CheckmateRounding, PhaseOneTakesWhatIsAboveTheThreshold) {
  const StageFractions fractions = {{0, 0.5, 0.51, 1}};
  EXPECT_EQ(rounded_above(fractions, 0.5), (StageKept{{false, false, true, true}}));
  EXPECT_EQ(rounded_above(fractions, 0.25), (StageKept{{false, true, true, true}}));
}

TEST(CheckmateRounding, AtRandomWholeNumbersStayAndTheSameSeedSaysTheSame) {
  const StageFractions fractions(50, {0, 0.3, 1});
  const StageKept kept = rounded_at_random(fractions, 7);
  int times = 0;
  for (const std::vector<bool>& stage : kept) {
    EXPECT_FALSE(stage[0]);
    EXPECT_TRUE(stage[2]);
    times += stage[1];
  }
  EXPECT_GT(times, 5);
  EXPECT_LT(times, 30);
  EXPECT_EQ(rounded_at_random(fractions, 7), kept);
  EXPECT_NE(rounded_at_random(fractions, 8), kept);
}

// x0 x1 and the backward pass g1 (reads x0, x1), g0 (reads x0, g1); x0 alone is kept, g1 for the
// last stage.
TEST(CheckmateRounding, PhaseTwoRunsWhatIsMissing) {
  const Problem problem = testing::chain(2, 1);
  StageKept kept = nothing_kept(problem);
  for (std::size_t t = 1; t < 4; ++t) kept[t][0] = true;
  kept[3][2] = true;
  const StageRuns expected = {{true, false, false, false},
                              {false, true, false, false},
                              {false, true, true, false},
                              {false, false, false, true}};
  EXPECT_EQ(least_runs(problem, kept), expected);
}

// Equations 1b and 1c of the paper, and that first executions happen.
bool is_feasible(const Problem& problem, const StageKept& kept, const StageRuns& runs) {
  const std::vector<std::optional<OperationId>> makers = producers(problem);
  const auto stages = static_cast<std::int32_t>(runs.size());
  for (std::int32_t t = 0; t < stages; ++t) {
    if (!runs[t][t]) return false;
    for (std::int32_t k = 0; k < stages; ++k) {
      if (!runs[t][k]) continue;
      for (const TensorId input : ram_inputs(problem, OperationId{k}))
        if (!kept[t][index_of(input)] && !runs[t][index_of(*makers[index_of(input)])]) return false;
    }
    for (std::size_t i = 0; t + 1 < stages && i < makers.size(); ++i)
      if (kept[t + 1][i] && !kept[t][i] && !runs[t][index_of(*makers[i])]) return false;
  }
  return true;
}

// For a given S phase two is optimal: every R that goes with S contains the least one.
TEST(CheckmateRounding, NoRunsThatGoWithTheKeptOnesAreFewer) {
  const Problem problem = testing::chain(2, 1);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 dice(seed);
    StageKept kept = nothing_kept(problem);
    for (std::size_t t = 1; t < 4; ++t)
      for (std::size_t i = 0; i < t; ++i) kept[t][i] = dice() % 2 == 0;
    const StageRuns least = least_runs(problem, kept);
    ASSERT_TRUE(is_feasible(problem, kept, least)) << "seed " << seed;
    for (std::uint32_t others = 0; others < (1u << 10); ++others) {
      StageRuns other(4, std::vector<bool>(4, false));
      std::uint32_t bit = 0;
      for (std::size_t t = 0; t < 4; ++t)
        for (std::size_t k = 0; k <= t; ++k) other[t][k] = (others >> bit++) & 1;
      if (!is_feasible(problem, kept, other)) continue;
      for (std::size_t t = 0; t < 4; ++t)
        for (std::size_t k = 0; k <= t; ++k)
          ASSERT_TRUE(other[t][k] || !least[t][k]) << "seed " << seed;
    }
  }
}

TEST(CheckmateRounding, KeepsWhatMayRunOnlyOnceWhileItIsNeeded) {
  Problem problem = testing::chain(3, 1);
  problem.operations[1].once = true;
  StageKept kept = nothing_kept(problem);
  keep_what_cannot_return(problem, kept);
  for (std::size_t t = 0; t < 6; ++t) EXPECT_EQ(kept[t][1], t >= 2) << t;
  const std::optional<Moves> moves =
      play_stages(problem, kept, least_runs(problem, kept), HomeReads::Once);
  ASSERT_TRUE(moves.has_value());
  EXPECT_TRUE(replay(problem, with_drops(problem, *moves)).valid());
  EXPECT_FALSE(play_stages(problem, nothing_kept(problem),
                           least_runs(problem, nothing_kept(problem)), HomeReads::Once)
                   .has_value());
}

// They report at most 1.06 times the time of the optimum, in the geometric mean over the budgets of
// each of their networks (table 2). On a chain, from the least RAM to almost all that it can use:
TEST(CheckmateRounded, IsWithinSixPercentOfTheOptimumOnAChain) {
  Problem problem = testing::chain(8, 1);
  problem.objective = Objective::Time;
  double product = 1;
  int budgets = 0;
  for (problem.ram_budget_bytes = 4; problem.ram_budget_bytes < 9; ++problem.ram_budget_bytes) {
    const SolveReport rounded = *make_checkmate_rounded()->solve(problem, {}, {}, {});
    const SolveReport optimal = *make_checkmate()->solve(problem, {}, {}, {});
    product *= rounded.objective / optimal.objective;
    ++budgets;
  }
  EXPECT_GE(product, 1);
  EXPECT_LE(std::pow(product, 1.0 / budgets), 1.06);
}

TEST(CheckmateRounded, SaysThatTheRelaxationHasNoSolution) {
  Problem problem = testing::chain(3, 4);
  problem.ram_budget_bytes = 15;
  const SolveReport report = *make_checkmate_rounded()->solve(problem, {}, {}, {});
  EXPECT_EQ(report.status, SolveStatus::Unknown);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0], "the linear relaxation has no solution within the RAM budget");
}

}  // namespace
}  // namespace poet
