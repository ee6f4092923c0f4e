#include "poet/use/replan_choice.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// Two operations, one of them computed twice, and a read: 1 + 2 * 2 + 1 s by the plan.
MeteredSteps three_works() {
  return {.steps = 5,
          .predicted_step_s = 6,
          .step_s = 6,
          .works = {{.key = "a", .times = 1, .needed = 1, .predicted_s = 1, .measured_s = 1},
                    {.key = "b", .times = 2, .needed = 1, .predicted_s = 2, .measured_s = 2},
                    {.work = ActionWork::Read,
                     .size_bytes = 8,
                     .times = 1,
                     .predicted_s = 1,
                     .measured_s = 1}}};
}

TEST(ReplanOutlook, StaysWhereTheFiguresWereRight) {
  const ReplanOutlook outlook = replan_outlook(three_works(), false, 1000, 1, {});
  EXPECT_FALSE(outlook.plans);
  EXPECT_EQ(outlook.off_ratio, 0);
  EXPECT_EQ(outlook.why, "the parts of a step are 0.0 % off those of the plan, less than 3.0 %");
}

TEST(ReplanOutlook, StaysWhereEverythingIsAsMuchSlower) {
  MeteredSteps steps = three_works();
  for (MeteredWork& work : steps.works) work.measured_s *= 3;
  steps.step_s *= 3;
  EXPECT_FALSE(replan_outlook(steps, false, 1000, 1, {}).plans);
  // But not where a limit is in seconds.
  EXPECT_TRUE(replan_outlook(steps, true, 1000, 1, {}).plans);
}

// The read takes 5 s in place of 1 s: what a step takes beside computing everything once is then
// 10 - 3 = 7 s.
TEST(ReplanOutlook, PlansExactlyWhereAllThatCanBeSavedIsMoreThanPlanning) {
  MeteredSteps steps = three_works();
  steps.works[2].measured_s = 5;
  steps.step_s = 10;
  const ReplanLimits limits{.most_planning_ratio = 1};
  const ReplanOutlook pays = replan_outlook(steps, false, 10, 69.9, limits);
  EXPECT_TRUE(pays.plans);
  EXPECT_EQ(pays.most_saving_s, 70);
  EXPECT_EQ(pays.why,
            "the parts of a step are 66.7 % off those of the plan; the 10 steps that are left "
            "spend 70 s on more than computing everything once, and planning takes up to 69.9 s");
  const ReplanOutlook does_not = replan_outlook(steps, false, 10, 70, limits);
  EXPECT_FALSE(does_not.plans);
  EXPECT_FALSE(replan_outlook(steps, false, 9, 69.9, limits).plans);
}

TEST(ReplanOutlook, TakesNoMoreThanAPartOfTheTimeThatIsLeft) {
  MeteredSteps steps = three_works();
  steps.works[2].measured_s = 5;
  steps.step_s = 10;
  EXPECT_TRUE(replan_outlook(steps, false, 10, 20, {}).plans);
  const ReplanOutlook too_long = replan_outlook(steps, false, 10, 20.1, {});
  EXPECT_FALSE(too_long.plans);
  EXPECT_EQ(too_long.why,
            "the parts of a step are 66.7 % off those of the plan, but planning takes up to 20.1 "
            "s, more than 20.0 % of the 100 s that are left");
}

TEST(ReplanOutlook, SeesWaitingForTransfersBesideTheProcessor) {
  MeteredSteps steps = three_works();
  steps.works.pop_back();
  steps.overlapped = true;
  EXPECT_FALSE(replan_outlook(steps, false, 1000, 1, {}).plans);
  steps.step_s = 9;
  EXPECT_TRUE(replan_outlook(steps, false, 1000, 1, {}).plans);
}

TEST(ReplanChoice, ChangesExactlyWhereItSavesMoreThanChangingOver) {
  // 10 % of the 100 s that are left.
  const ReplanChoice pays =
      replan_choice({.step_s = 10}, {.step_s = 9}, Objective::Time, 100, 9, {});
  EXPECT_TRUE(pays.changes);
  EXPECT_NEAR(pays.saving_s, 10, 1e-9);
  EXPECT_FALSE(replan_choice({.step_s = 10}, {.step_s = 9}, Objective::Time, 100, 11, {}).changes);
  EXPECT_FALSE(replan_choice({.step_s = 10}, {.step_s = 9.9}, Objective::Time, 1e6, 1, {}).changes);
  EXPECT_FALSE(replan_choice({.step_s = 10}, {.step_s = 11}, Objective::Time, 1e6, 1, {}).changes);
}

TEST(ReplanChoice, GoesByWhatTheUserAskedToBeLeast) {
  const PlanCost slow{.step_s = 20, .step_j = 1};
  const PlanCost quick{.step_s = 10, .step_j = 2};
  EXPECT_TRUE(replan_choice(quick, slow, Objective::Energy, 1000, 1, {}).changes);
  EXPECT_FALSE(replan_choice(quick, slow, Objective::Time, 1000, 1, {}).changes);
}

TEST(ReplanChoice, PutsTheDeadlineFirst) {
  const PlanCost late{.step_s = 10, .keeps_deadline = false};
  const PlanCost in_time{.step_s = 11};
  EXPECT_TRUE(replan_choice(late, in_time, Objective::Time, 1, 9, {}).changes);
  const ReplanChoice stays = replan_choice(in_time, late, Objective::Time, 1e6, 1, {});
  EXPECT_FALSE(stays.changes);
  EXPECT_EQ(stays.why,
            "by the measured figures a step of the other plan takes 10 s, and one of the plan in "
            "use 11 s, but the other misses the deadline");
}

// b is computed once less, what takes no part is a read, and c is new.
TEST(ComputingRatio, ComparesTheSameOperationsOnly) {
  const MeteredSteps before = three_works();
  MeteredSteps now = before;
  EXPECT_EQ(computing_ratio(before, now), 1);
  now.works[0].measured_s = 2;
  now.works[1].measured_s = 4;
  now.works[1].times = 1;
  now.works[2].measured_s = 100;
  now.works.push_back({.key = "c", .times = 1, .measured_s = 50});
  EXPECT_EQ(computing_ratio(before, now), 2);
  now.works[0].measured_s = 5;
  EXPECT_EQ(computing_ratio(before, now), 3);
  EXPECT_EQ(computing_ratio({}, now), 1);
}

}  // namespace
}  // namespace poet
