#include "poet/forms/planning_gap.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

// A step of one operation of so many seconds.
StepForms forms_of(double step_s) {
  StepGraph form{.name = "whole"};
  form.instance.problem.operations = {{.name = "a", .compute_s = step_s}};
  StepForms forms;
  forms.forms.push_back(std::move(form));
  return forms;
}

TEST(PlanningGap, IsATenthOfASecondOfTheTraining) {
  EXPECT_DOUBLE_EQ(planning_gap(forms_of(0.01), 1, 100, {}), 0.1);  // 1 s
  EXPECT_DOUBLE_EQ(planning_gap(forms_of(0.01), 1, 1'000, {}), 0.01);
  EXPECT_DOUBLE_EQ(planning_gap(forms_of(0.01), 1, 1'001, {}), 0.001);
}

TEST(PlanningGap, IsNeverMoreThanATenthNorLessThanAskedFor) {
  EXPECT_EQ(planning_gap(forms_of(0.01), 1, 1, {}), kLargestGap);
  EXPECT_EQ(planning_gap(forms_of(10), 1, 10'000'000, {}), SolveOptions{}.total_gap_ratio);
  EXPECT_EQ(planning_gap(forms_of(0.01), 1, 1'000'000, {.total_gap_ratio = 0.02}), 0.02);
}

TEST(PlanningGap, IsTheOptionsWhereNothingTakesTime) {
  EXPECT_EQ(planning_gap(forms_of(0), 1, 100, {}), SolveOptions{}.total_gap_ratio);
}

TEST(PlanningGap, OfPartsIsTheSameForTrainingsThatTakeLonger) {
  for (const std::int64_t steps : {11, 100, 1'000, 1'001})
    EXPECT_EQ(planning_gap_in_parts(forms_of(0.01), 1, steps, {}),
              planning_gap(forms_of(0.01), 1, steps, {}));
}

// Whoever stops within such a gap of a bound b has at most b / (1 - gap).
TEST(PlanningGap, OfPartsLeavesAllOpenThatAShortTrainingCannotSave) {
  const auto open_s = [](double step_s, std::int64_t steps) {
    const double gap = planning_gap_in_parts(forms_of(step_s), 1, steps, {});
    return gap / (1 - gap) * step_s * static_cast<double>(steps);
  };
  EXPECT_NEAR(open_s(0.01, 9), 0.09, 1e-12);
  EXPECT_NEAR(open_s(0.004, 2), 0.08, 1e-12);
  EXPECT_NEAR(open_s(0.0001, 3), 0.03, 1e-12);
  for (const std::int64_t steps : {1, 2, 3, 5, 7, 9})
    EXPECT_LE(open_s(0.01, steps), kNegligible_s * (1 + 1e-12));
  EXPECT_EQ(planning_gap_in_parts(forms_of(0), 1, 100, {}), SolveOptions{}.total_gap_ratio);
}

TEST(PlanningEffort, IsNoMoreThanTheTrainingTakes) {
  EXPECT_EQ(planning_effort_s(forms_of(0.001), 1, 5), kShortestSearch_s);
  EXPECT_EQ(planning_effort_s(forms_of(0.01), 1, 900), kShortestSearch_s);  // 9 s
  EXPECT_EQ(planning_effort_s(forms_of(0.01), 1, 1'100), 10);
  EXPECT_EQ(planning_effort_s(forms_of(0.01), 1, 99'000), 100);
  EXPECT_EQ(planning_effort_s(forms_of(0), 1, 100), std::numeric_limits<double>::infinity());
}

TEST(PlanningEffort, BesideStepsIsATenth) {
  EXPECT_EQ(planning_effort_beside_steps_s(kShortestSearchInParts_s), kShortestSearch_s);
  EXPECT_EQ(planning_effort_beside_steps_s(100), 10);
  EXPECT_EQ(planning_effort_beside_steps_s(std::numeric_limits<double>::infinity()),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace poet
