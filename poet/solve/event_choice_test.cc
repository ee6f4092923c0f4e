#include "poet/solve/event_choice.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace poet {
namespace {

// A chain a -> b -> c, and d that reads a and c. Sizes 6 4 5 1; at 12 bytes a cannot stay while c
// is made from b (6 + 4 + 5) and must come back for d (6 + 5 + 1).
Problem detour() {
  Problem problem;
  const std::vector<std::int64_t> sizes = {6, 4, 5, 1};
  const std::vector<double> costs = {3, 1, 1, 1};
  for (std::int32_t i = 0; i < 4; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    problem.tensors.push_back(
        {.name = name, .size_bytes = sizes[i], .page_in_j = 1, .page_out_j = 1.5});
    problem.operations.push_back({.name = "make " + name,
                                  .outputs = {TensorId{i}},
                                  .compute_j = costs[i],
                                  .compute_s = costs[i]});
  }
  problem.operations[1].inputs = {TensorId{0}};
  problem.operations[2].inputs = {TensorId{1}};
  problem.operations[3].inputs = {TensorId{0}, TensorId{2}};
  problem.ram_budget_bytes = 12;
  problem.time_mode = TimeMode::Free;
  return problem;
}

// a is written when it is made and read back for d.
EventChoice paged() {
  return {.executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}, {0}}},
          .stored = {true, false, false, false},
          .resident = std::vector<bool>(4)};
}

// a is made again for d.
EventChoice repeated() {
  return {.executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 0}}, {{3, 3}}},
          .stored = std::vector<bool>(4),
          .resident = std::vector<bool>(4)};
}

TEST(FiguresOf, APagedChoice) {
  const Step step = make_step(detour());
  const ChoiceFigures figures = figures_of(step, paged());
  EXPECT_EQ(figures.cost, 6 + 1.5 + 1);
  EXPECT_EQ(figures.time_s, 6);
  EXPECT_EQ(figures.peak_bytes, 6 + 5 + 1);
  EXPECT_EQ(figures.stored_bytes, 6);
  EXPECT_EQ(figures.written_bytes, 6);
  EXPECT_TRUE(figures.complete);
  EXPECT_TRUE(keeps_budgets(step, figures));
}

TEST(FiguresOf, AChoiceWithARepetition) {
  const ChoiceFigures figures = figures_of(make_step(detour()), repeated());
  EXPECT_EQ(figures.cost, 6 + 3);
  EXPECT_EQ(figures.time_s, 6 + 3);
  EXPECT_EQ(figures.peak_bytes, 12);
  EXPECT_EQ(figures.stored_bytes, 0);
}

TEST(FiguresOf, WhatIsKeptTakesRoomUntilItsUse) {
  EventChoice kept = repeated();
  kept.executions.erase(kept.executions.begin() + 3);
  const Step step = make_step(detour());
  EXPECT_EQ(figures_of(step, kept).peak_bytes, 6 + 4 + 5);
  EXPECT_FALSE(keeps_budgets(step, figures_of(step, kept)));
}

TEST(FiguresOf, AReadWithoutACopyIsIncomplete) {
  EventChoice choice = paged();
  choice.stored[0] = false;
  EXPECT_FALSE(figures_of(make_step(detour()), choice).complete);
}

TEST(FiguresOf, SharedBuffersCountOnce) {
  Problem problem = detour();
  problem.operations[2].in_place = InPlace{TensorId{1}, TensorId{2}};
  EventChoice kept = repeated();
  kept.executions.erase(kept.executions.begin() + 3);
  EXPECT_EQ(figures_of(make_step(problem), kept).peak_bytes, 12);  // a, c, d; b is c's buffer
}

TEST(WithoutWaste, DropsARepetitionThatNobodyReads) {
  EventChoice choice = paged();
  choice.executions.insert(choice.executions.begin() + 2, Execution{{2, 0}});
  EXPECT_EQ(without_waste(make_step(detour()), choice), paged());
}

TEST(WithoutWaste, DropsACopyThatNobodyReads) {
  EventChoice choice = repeated();
  choice.stored[0] = true;
  EXPECT_EQ(without_waste(make_step(detour()), choice), repeated());
}

TEST(WithoutWaste, HandsTheReadOfADroppedRepetitionOn) {
  EventChoice choice = paged();
  choice.executions[3].reads.clear();
  choice.executions.insert(choice.executions.begin() + 3, Execution{{3, 1}, {0}});
  EXPECT_EQ(without_waste(make_step(detour()), choice), paged());
}

TEST(ToSchedule, WritesEarlyReadsLateAndDropsAtOnce) {
  constexpr TensorId a{0}, b{1}, c{2}, d{3};
  const std::vector<Action> expected = {Compute{OperationId{0}},
                                        PageOut{a},
                                        Compute{OperationId{1}},
                                        Drop{a},
                                        Compute{OperationId{2}},
                                        Drop{b},
                                        PageIn{a},
                                        Compute{OperationId{3}},
                                        Drop{a},
                                        Drop{c},
                                        Drop{d}};
  EXPECT_EQ(to_schedule(make_step(detour()), paged()).actions, expected);
}

TEST(FromSchedule, ReadsBackWhatWasWritten) {
  const Problem problem = detour();
  const Step step = make_step(problem);
  EXPECT_EQ(from_schedule(problem, step, to_schedule(step, paged())), paged());
  EXPECT_EQ(from_schedule(problem, step, to_schedule(step, repeated())), repeated());
}

TEST(FromSchedule, RefusesRepetitionsOutOfOrder) {
  const Problem problem = detour();
  Schedule schedule;
  for (const std::int32_t v : {0, 1, 2, 1, 0, 3})
    schedule.actions.emplace_back(Compute{OperationId{v}});
  EXPECT_EQ(from_schedule(problem, make_step(problem), schedule), std::nullopt);
}

TEST(FromSchedule, RefusesAStepThatEndsEarly) {
  const Problem problem = detour();
  Schedule schedule;
  schedule.actions.emplace_back(Compute{OperationId{0}});
  EXPECT_EQ(from_schedule(problem, make_step(problem), schedule), std::nullopt);
}

}  // namespace
}  // namespace poet
