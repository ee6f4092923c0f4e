#include "poet/methods/revolve.h"

#include <gtest/gtest.h>

#include <set>

#include "poet/methods/binomial.h"
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

}  // namespace
}  // namespace poet
