#include "poet/methods/h_revolve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "poet/methods/revolve.h"
#include "poet/methods/uniform_chain_for_tests.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// What moves cost and occupy, counted without a graph.
struct Tape {
  double cost = 0;
  std::size_t most_in_ram = 0;
  std::size_t most_in_storage = 0;
};

Tape run_on_a_tape(const std::vector<ChainMove>& moves, const TwoLevels& levels,
                   std::int32_t steps) {
  Tape tape;
  std::int32_t at = 0;
  std::int32_t next_turn = steps - 1;
  std::set<std::int32_t> in_ram;
  std::set<std::int32_t> in_storage;
  for (const ChainMove& move : moves) {
    const bool read = move.step == ChainStep::Read;
    EXPECT_TRUE(read ? in_storage.count(move.state) : move.state == at || in_ram.count(move.state))
        << "state " << move.state;
    at = move.state;
    if (move.step == ChainStep::Keep) in_ram.insert(at);
    if (move.step == ChainStep::Write) in_storage.insert(at);
    if (move.step == ChainStep::Write) tape.cost += levels.write_cost;
    if (read) tape.cost += levels.read_cost;
    tape.most_in_ram = std::max(tape.most_in_ram, in_ram.size());
    tape.most_in_storage = std::max(tape.most_in_storage, in_storage.size());
    if (move.step == ChainStep::Advance) {
      tape.cost += levels.advance_cost;
      ++at;
    }
    if (move.step == ChainStep::Turn) {
      EXPECT_EQ(at, next_turn--);
      in_ram.erase(at);
      in_storage.erase(at);
    }
  }
  EXPECT_EQ(next_turn, -1);
  return tape;
}

TEST(HRevolve, ItsMovesCostWhatTheDynamicProgrammeSaysAndKeepToItsPlaces) {
  for (const std::optional<std::int32_t> places :
       {std::optional<std::int32_t>{}, std::optional<std::int32_t>{1},
        std::optional<std::int32_t>{2}, std::optional<std::int32_t>{4}}) {
    for (std::int32_t c = 0; c <= 4; ++c) {
      for (const double read_cost : {0.0, 0.5, 3.0, 20.0}) {
        const TwoLevels levels{.ram_checkpoints = c,
                               .storage_checkpoints = places,
                               .advance_cost = 1,
                               .write_cost = 2,
                               .read_cost = read_cost};
        const TwoLevelPlan plan(levels, 40);
        for (std::int32_t l = 1; l <= 40; ++l) {
          const Tape tape = run_on_a_tape(plan.moves(l), levels, l);
          EXPECT_EQ(tape.cost, plan.cost(l)) << l << " steps, " << c << " checkpoints";
          EXPECT_LE(tape.most_in_ram, static_cast<std::size_t>(c));
          EXPECT_LE(tape.most_in_storage, static_cast<std::size_t>(places.value_or(l)));
        }
      }
    }
  }
}

TEST(HRevolve, IsRevolveWhereStorageCostsMoreThanItSaves) {
  const TwoLevelPlan plan(
      {.ram_checkpoints = 3, .advance_cost = 1, .write_cost = 1000, .read_cost = 1000}, 30);
  EXPECT_EQ(plan.moves(30), revolve_moves(30, 3));
  EXPECT_EQ(plan.cost(30), static_cast<double>(least_advances(30, 3)));
}

TEST(HRevolve, StoresEverythingWhereStorageIsFree) {
  const TwoLevelPlan plan({.ram_checkpoints = 1, .advance_cost = 1}, 30);
  EXPECT_EQ(plan.cost(30), 29);
}

TEST(HRevolve, WithoutAnyCheckpointOnlyOneStepIsPossible) {
  const TwoLevelPlan plan({.ram_checkpoints = 0, .storage_checkpoints = 0}, 2);
  EXPECT_EQ(plan.cost(1), 0);
  EXPECT_EQ(plan.cost(2), std::numeric_limits<double>::infinity());
}

// Aupy and Herrmann, "Periodicity in optimal hierarchical checkpointing schemes for adjoint
// computations", Optimization Methods and Software 32(3), 2017: storage is written at equal
// distances but for a few, whatever the length of the chain. A period of m steps costs a write, a
// read, m advances and t(m, c) more, and t bends at beta(c, r) only, so the best m is one of those.
TEST(HRevolve, WritesAtTheDistanceThatCostsLeastPerStep) {
  const TwoLevels levels{.ram_checkpoints = 3, .advance_cost = 1, .write_cost = 5, .read_cost = 5};
  std::int32_t best = 1;
  const auto per_step = [&](std::int32_t m) {
    return (10.0 + m + static_cast<double>(least_advances(m, 3))) / m;
  };
  for (std::int32_t m = 1; m <= 100; ++m)
    if (per_step(m) < per_step(best)) best = m;
  EXPECT_EQ(best, 10);  // beta(3, 2): 5 + 5 + 10 + 15 for ten steps

  std::map<std::int32_t, int> distances;
  std::int32_t last = 0;
  for (const ChainMove& move : TwoLevelPlan(levels, 400).moves(400)) {
    if (move.step != ChainStep::Write) continue;
    ++distances[move.state - last];
    last = move.state;
  }
  EXPECT_GT(distances[best], 35);  // of 40
}

TEST(HRevolve, ReadsTheInputOfFourStepsBackFromStorage) {
  using enum ChainStep;
  const std::vector<ChainMove> expected = {{Write, 0},   {Advance, 0}, {Keep, 1},    {Advance, 1},
                                           {Advance, 2}, {Turn, 3},    {Advance, 1}, {Turn, 2},
                                           {Turn, 1},    {Read, 0},    {Turn, 0}};
  const TwoLevelPlan plan(
      {.ram_checkpoints = 1, .advance_cost = 1, .write_cost = 0.5, .read_cost = 0.5}, 4);
  EXPECT_EQ(plan.moves(4), expected);
  EXPECT_EQ(plan.cost(4), 5);
}

TEST(HRevolve, IsAsCheapOnAProblemAsItsProgrammeSays) {
  const UniformChain chain{.steps = 12,
                           .checkpoints = 2,
                           .forward_cost = 2,
                           .adjoint_cost = 3,
                           .write_cost = 1.5,
                           .read_cost = 2.5,
                           .paging = true};
  const TwoLevelPlan plan(
      {.ram_checkpoints = 2, .advance_cost = 2, .write_cost = 1.5, .read_cost = 2.5}, 12);
  for (const Objective objective : {Objective::Energy, Objective::Time}) {
    Problem problem = uniform_chain(chain);
    problem.objective = objective;
    const Result<SolveReport> report = make_h_revolve()->solve(problem, {}, {}, {});
    ASSERT_TRUE(report.ok() && report->best);
    EXPECT_EQ(report->objective, 12 * 3 + plan.cost(12));
  }
}

TEST(HRevolve, KeepsToTheBytesThatMayBeWritten) {
  Problem problem = uniform_chain({.steps = 12, .checkpoints = 1, .paging = true});
  problem.write_budget_bytes = 3;
  const Result<SolveReport> report = make_h_revolve()->solve(problem, {}, {}, {});
  ASSERT_TRUE(report.ok() && report->best);
  EXPECT_EQ(replay(problem, *report->best).written_bytes, 3);
}

TEST(HRevolve, SaysSoWherePagingIsRuledOut) {
  const Result<SolveReport> report =
      make_h_revolve()->solve(uniform_chain({.steps = 3}), {}, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "the method pages, which the request or the device rules out");
}

}  // namespace
}  // namespace poet
