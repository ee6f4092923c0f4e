#include "poet/solve/event_choice.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

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
  const Step step = make_step(detour());
  EXPECT_EQ(figures_of(step, kept()).peak_bytes, 6 + 4 + 5);
  EXPECT_FALSE(keeps_budgets(step, figures_of(step, kept())));
}

TEST(FiguresOf, AReadWithoutACopyIsIncomplete) {
  EventChoice choice = paged();
  choice.stored[0] = false;
  EXPECT_FALSE(figures_of(make_step(detour()), choice).complete);
}

TEST(FiguresOf, SharedBuffersCountOnce) {
  Problem problem = detour();
  problem.operations[2].in_place = InPlace{TensorId{1}, TensorId{2}};
  EXPECT_EQ(figures_of(make_step(problem), kept()).peak_bytes, 12);  // a, c, d; b is c's buffer
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
