#include "poet/methods/revolve.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <vector>

#include "poet/methods/uniform_chain_for_tests.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// What a chain's states go through, without a graph: every move finds the state that it works on.
struct Tape {
  std::int64_t advances = 0;
  std::size_t most_checkpoints = 0;
};

Tape run_on_a_tape(const std::vector<ChainMove>& moves, std::int32_t steps) {
  Tape tape;
  std::int32_t at = 0;  // the state that is worked on
  std::int32_t next_turn = steps - 1;
  std::set<std::int32_t> kept;
  for (const ChainMove& move : moves) {
    EXPECT_TRUE(move.state == at || kept.count(move.state)) << "state " << move.state;
    at = move.state;
    if (move.step == ChainStep::Keep) kept.insert(at);
    tape.most_checkpoints = std::max(tape.most_checkpoints, kept.size());
    if (move.step == ChainStep::Advance) {
      ++tape.advances;
      ++at;
    }
    if (move.step == ChainStep::Turn) {
      EXPECT_EQ(at, next_turn--);
      kept.erase(at);
    }
  }
  EXPECT_EQ(next_turn, -1);
  return tape;
}

TEST(Revolve, AdvancesAsOftenAsThePublishedOptimumSaysAndKeepsNoMoreStates) {
  for (std::int32_t l = 1; l <= 60; ++l) {
    for (std::int32_t c = 1; c <= 8; ++c) {
      const Tape tape = run_on_a_tape(revolve_moves(l, c), l);
      EXPECT_EQ(tape.advances, least_advances(l, c)) << l << " steps, " << c << " checkpoints";
      EXPECT_LE(tape.most_checkpoints, static_cast<std::size_t>(c));
    }
  }
}

TEST(Revolve, FourStepsWithTwoCheckpoints) {
  using enum ChainStep;
  const std::vector<ChainMove> expected = {{Keep, 0},    {Advance, 0}, {Advance, 1}, {Keep, 2},
                                           {Advance, 2}, {Turn, 3},    {Turn, 2},    {Advance, 0},
                                           {Turn, 1},    {Turn, 0}};
  EXPECT_EQ(revolve_moves(4, 2), expected);
}

// Ten steps, three checkpoints beside the state at work: fifteen advances, as published.
TEST(Revolve, TakesFifteenAdvancesForTenStepsInFourStates) {
  const Problem problem = uniform_chain({.steps = 10, .checkpoints = 3});
  const Result<SolveReport> report = make_revolve()->solve(problem, {}, {}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->best);
  const Replay replayed = replay(problem, *report->best);
  EXPECT_TRUE(replayed.valid());
  EXPECT_EQ(replayed.peak_ram_bytes, 4);
  EXPECT_EQ(replayed.recomputed_operations, 15 - 9);
  EXPECT_EQ(report->objective, 10 + 15);
}

TEST(Revolve, UsesAsManyCheckpointsAsFit) {
  for (std::int32_t l = 2; l <= 20; ++l) {
    for (std::int32_t c = 1; c <= 5; ++c) {
      const Problem problem = uniform_chain({.steps = l, .checkpoints = c});
      const Result<SolveReport> report = make_revolve()->solve(problem, {}, {}, {});
      ASSERT_TRUE(report.ok() && report->best);
      EXPECT_EQ(report->objective, static_cast<double>(l + least_advances(l, c)))
          << l << " steps, " << c << " checkpoints";
    }
  }
}

TEST(Revolve, TriesFewerCountsOnLongChains) {
  EXPECT_EQ(checkpoint_counts(3), (std::vector<std::int32_t>{1, 2, 3}));
  const std::vector<std::int32_t> counts = checkpoint_counts(10'000);
  EXPECT_EQ(counts.back(), 10'000);
  EXPECT_LT(counts.size(), 200u);
}

TEST(Revolve, SaysSoWhereRecomputationIsRuledOut) {
  Problem problem = uniform_chain({.steps = 3});
  problem.rematerialisation_allowed = false;
  const Result<SolveReport> report = make_revolve()->solve(problem, {}, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "the method recomputes, which the request rules out");
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// The recursion that the closed form solves (Griewank 1992): advance over m steps, set a
// checkpoint, turn around what is behind it, then what is before it.
std::int64_t advances_by_recursion(std::int64_t steps, std::int64_t checkpoints) {
  if (steps == 1) return 0;
  if (checkpoints == 1) return steps * (steps - 1) / 2;
  std::int64_t least = kMost;
  for (std::int64_t m = 1; m < steps; ++m)
    least = std::min(least, m + advances_by_recursion(steps - m, checkpoints - 1) +
                                advances_by_recursion(m, checkpoints));
  return least;
}

TEST(Binomial, ReachIsTheBinomialCoefficient) {
  EXPECT_EQ(binomial_reach(3, -1, kMost), 0);
  EXPECT_EQ(binomial_reach(3, 0, kMost), 1);
  EXPECT_EQ(binomial_reach(3, 1, kMost), 4);
  EXPECT_EQ(binomial_reach(3, 2, kMost), 10);
  EXPECT_EQ(binomial_reach(3, 3, kMost), 20);
  EXPECT_EQ(binomial_reach(5, 3, kMost), 56);
  EXPECT_EQ(binomial_reach(1, 7, kMost), 8);
}

TEST(Binomial, ReachStopsAtWhatIsAskedFor) {
  EXPECT_EQ(binomial_reach(60, 60, 1'000'000), 1'000'000);
}

// Griewank and Walther's example of ten steps and three checkpoints: beta(3, 2) = 10, so no step is
// run more than twice: 2 * 10 - beta(4, 1) = 15.
TEST(Binomial, TenStepsWithThreeCheckpointsTakeFifteenAdvances) {
  EXPECT_EQ(least_advances(10, 3), 15);
}

TEST(Binomial, LeastAdvancesAreRTimesLWithoutBeta) {
  for (std::int64_t c = 1; c <= 12; ++c) {
    for (std::int64_t l = 1; l <= 300; ++l) {
      std::int64_t r = 0;
      while (binomial_reach(c, r, kMost) < l) ++r;
      EXPECT_EQ(least_advances(l, c), r * l - binomial_reach(c + 1, r - 1, kMost))
          << l << " steps, " << c << " checkpoints";
    }
  }
}

TEST(Binomial, LeastAdvancesAreThoseOfTheRecursion) {
  for (std::int64_t c = 1; c <= 5; ++c)
    for (std::int64_t l = 1; l <= 11; ++l)
      EXPECT_EQ(least_advances(l, c), advances_by_recursion(l, c)) << l << ", " << c;
}

TEST(Binomial, TheSplitIsAsGoodAsAny) {
  for (std::int64_t c = 2; c <= 9; ++c) {
    for (std::int64_t l = 2; l <= 200; ++l) {
      const std::int64_t m = binomial_split(l, c);
      ASSERT_TRUE(m >= 1 && m < l);
      EXPECT_EQ(m + least_advances(l - m, c - 1) + least_advances(m, c), least_advances(l, c))
          << l << " steps, " << c << " checkpoints, " << m;
    }
  }
}

TEST(Binomial, WithoutAnotherCheckpointTheSplitIsAtTheEnd) {
  EXPECT_EQ(binomial_split(9, 1), 8);
}

}  // namespace

}  // namespace poet
