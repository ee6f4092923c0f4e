#include "poet/use/planning_gap.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace poet
