#include "poet/methods/rotor.h"

#include <gtest/gtest.h>

#include <limits>

#include "poet/methods/revolve.h"
#include "poet/methods/uneven_chain_for_tests.h"
#include "poet/methods/uniform_chain_for_tests.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

RotorTable table_of(const Problem& problem, std::int32_t slots) {
  const Result<ChainBlocks> blocks = chain_of(problem);
  const std::vector<BlockFigures> figures = chain_figures(problem, *blocks);
  return {figures, in_slots(figures, 1), slots};
}

// On equal steps the dynamic programme finds what Griewank and Walther's formula says.
TEST(Rotor, IsBinomialOnEqualSteps) {
  const std::int32_t l = 40;
  const RotorTable table = table_of(uniform_chain({.steps = l}), 6);
  for (std::int32_t c = 1; c <= 6; ++c)
    for (std::int32_t steps = 1; steps <= l; ++steps)
      EXPECT_EQ(table.cost_s(l - steps, l - 1, c),
                static_cast<double>(steps + least_advances(steps, c)))
          << steps << " steps, " << c << " checkpoints";
}

// Two layers; 1 byte each of x0, x1, s0, s1. All of it kept takes 3 bytes beside x0. With 2, F0
// runs again: 1 s more.
TEST(Rotor, RecordsAsLongAsThereIsRoom) {
  const RotorTable table = table_of(uneven_chain({{}, {}}, 100), 4);
  EXPECT_EQ(table.cost_s(0, 1, 3), 4);
  EXPECT_EQ(table.cost_s(0, 1, 2), 5);
  EXPECT_EQ(table.cost_s(0, 1, 1), std::numeric_limits<double>::infinity());
  std::vector<ChainMove> moves;
  table.append_moves(0, 1, 3, moves);
  EXPECT_EQ(moves, (std::vector<ChainMove>{{ChainStep::Keep, 0},
                                           {ChainStep::Record, 0},
                                           {ChainStep::Turn, 1},
                                           {ChainStep::Turn, 0}}));
  moves.clear();
  table.append_moves(0, 1, 2, moves);
  EXPECT_EQ(moves, (std::vector<ChainMove>{{ChainStep::Keep, 0},
                                           {ChainStep::Advance, 0},
                                           {ChainStep::Turn, 1},
                                           {ChainStep::Turn, 0}}));
}

// Where layers differ, what is dear to make again is recorded: the first of these three, though it
// is the first to be made.
TEST(Rotor, RunsTheCheapLayersAgain) {
  const Problem problem =
      uneven_chain({{.forward_s = 9, .saved_bytes = 2}, {.saved_bytes = 2}, {.saved_bytes = 2}}, 8);
  const Result<SolveReport> report = make_rotor()->solve(problem, {}, {}, {});
  ASSERT_TRUE(report.ok() && report->best);
  const Replay replayed = replay(problem, *report->best);
  EXPECT_EQ(replayed.recomputed_operations, 1);
  EXPECT_EQ(report->objective, 9 + 1 + 1 + 3 + 1);
}

TEST(Rotor, WhatItPlansIsWhatIsReplayed) {
  for (std::int64_t budget_bytes = 2; budget_bytes <= 12; ++budget_bytes) {
    Problem problem = uniform_chain({.steps = 12});
    problem.ram_budget_bytes = budget_bytes;
    const Result<SolveReport> report = make_rotor()->solve(problem, {}, {}, {});
    ASSERT_TRUE(report.ok() && report->best);
    EXPECT_EQ(report->objective, 12 + static_cast<double>(least_advances(12, budget_bytes - 1)));
  }
}

TEST(Rotor, LongChainsAreCutAtFewerPoints) {
  const Problem problem = uniform_chain({.steps = 25});
  const Result<ChainBlocks> blocks = chain_of(problem);
  ASSERT_EQ(chain_length(problem, *blocks), 25);
  const ChainBlocks merged = at_most(problem, *blocks, 10);
  EXPECT_EQ(chain_length(problem, merged), 9);
  EXPECT_EQ(merged.forward[1].size(), 3u);
  EXPECT_EQ(merged.border[1], (std::vector<TensorId>{TensorId{3}}));
  EXPECT_EQ(merged.forward.back().size(), 1u);
  EXPECT_TRUE(merged.border.back().empty());
}

TEST(Rotor, RoundedSizesOfNeighboursAddUp) {
  std::vector<BlockFigures> figures(10);
  for (BlockFigures& block : figures) block.state_bytes = 4;
  const SlotFigures slots = in_slots(figures, 10);
  EXPECT_EQ(slots.state, (std::vector<std::int32_t>{0, 1, 0, 1, 0, 0, 1, 0, 1, 0}));
}

}  // namespace
}  // namespace poet
