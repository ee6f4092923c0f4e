#include "poet/solve/greedy_moves.h"

#include <gtest/gtest.h>

#include <vector>

namespace poet {
namespace {

// x is made of two values that lie in storage, and read once more after a stage that leaves one
// byte of the budget.
Problem with_a_full_stage() {
  Problem problem;
  problem.tensors = {
      {.name = "large", .size_bytes = 4, .home = Home::Storage, .page_in_j = 1},
      {.name = "small", .size_bytes = 2, .home = Home::Storage, .page_in_j = 0.25},
      {.name = "x", .size_bytes = 4, .page_in_j = 1, .page_out_j = 1.5},
      {.name = "full", .size_bytes = 6, .page_in_j = 9, .page_out_j = 9},
      {.name = "y", .size_bytes = 1, .page_in_j = 9, .page_out_j = 9},
  };
  problem.operations = {
      {.name = "make x",
       .inputs = {TensorId{0}, TensorId{1}},
       .outputs = {TensorId{2}},
       .compute_j = 0.5,
       .compute_s = 1},
      {.name = "fill",
       .outputs = {TensorId{3}},
       .workspace_bytes = 9,
       .compute_j = 1,
       .compute_s = 1},
      {.name = "make y",
       .inputs = {TensorId{2}, TensorId{3}},
       .outputs = {TensorId{4}},
       .compute_j = 1,
       .compute_s = 1},
  };
  problem.ram_budget_bytes = 16;
  problem.time_mode = TimeMode::Free;
  return problem;
}

const EventChoice kPaged = {.executions = {{{0, 0}, {0, 1}}, {{1, 1}}, {{2, 2}, {2}}},
                            .stored = {false, false, true, false, false},
                            .resident = std::vector<bool>(5)};

// Made again, x needs both values. There is no room for them to stay, and to read them is cheaper
// than to write x and read it.
TEST(GreedyMoves, ReadsWhatIsNeededWhereItCannotStay) {
  const Step step = make_step(with_a_full_stage());
  const Stop stop;
  const std::vector<double> prices(3, 0.0);
  GreedyMoves moves(step, ScheduleDraft(step, kPaged), stop);
  moves.set_prices(prices);
  moves.restore();
  EXPECT_EQ(moves.draft().choice(), kPaged);

  moves.restore(0, true);
  EXPECT_EQ(moves.draft().excess_bytes(), 0);
  EXPECT_EQ(moves.draft().cost(), step.once_cost + 1.25 + 0.5 + 1.25);
  EXPECT_FALSE(moves.draft().stored(2));
  EXPECT_TRUE(moves.draft().runs(Event{2, 0}));
}

TEST(GreedyMoves, GivesUpAfterSoManyChanges) {
  const Step step = make_step(with_a_full_stage());
  const Stop stop;
  const StageRange everywhere{0, step.stages()};
  GreedyMoves all(step, ScheduleDraft(step), stop);
  const std::int64_t before = all.draft().all_changes();
  ASSERT_TRUE(all.fit({}, everywhere));
  const std::int64_t changes = all.draft().all_changes() - before;
  GreedyMoves same(step, ScheduleDraft(step), stop);
  EXPECT_TRUE(same.fit({}, everywhere, {.most_changes = changes}));
  GreedyMoves few(step, ScheduleDraft(step), stop);
  EXPECT_FALSE(few.fit({}, everywhere, {.most_changes = 1}));
}

// What is still too much counts at the price of now, so that moves which lead nowhere end early.
TEST(GreedyMoves, LookAhead) {
  const Step step = make_step(with_a_full_stage());
  const Stop stop;
  const StageRange everywhere{0, step.stages()};
  GreedyMoves all(step, ScheduleDraft(step), stop);
  ASSERT_TRUE(all.fit({}, everywhere));
  const double cost = all.draft().cost();
  GreedyMoves ahead(step, ScheduleDraft(step), stop);
  EXPECT_FALSE(ahead.fit({.looks_ahead = true}, everywhere, {.most_cost = cost * 0.999}));
  GreedyMoves above(step, ScheduleDraft(step), stop);
  EXPECT_TRUE(above.fit({.looks_ahead = true}, everywhere, {.most_cost = cost * 1.001}));
}

}  // namespace
}  // namespace poet
