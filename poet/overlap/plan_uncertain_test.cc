#include "poet/overlap/plan_uncertain.h"

#include <gtest/gtest.h>

#include "poet/overlap/planner.h"
#include "poet/problem/uncertainty.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// x, at home in storage and read in 2 s, is needed first and last; between the two an operation has
// room for no more than its own. Six seconds of computing and two reads of x: 10 s, 6 J.
Problem there_and_back(TimeMode mode) {
  Problem problem;
  problem.ram_budget_bytes = 8;
  problem.time_mode = mode;
  problem.tensors = {{.size_bytes = 4, .home = Home::Storage, .page_in_j = 1.5, .page_in_s = 2},
                     {.size_bytes = 2},
                     {.size_bytes = 6},
                     {.size_bytes = 2}};
  problem.operations = {{.inputs = {TensorId{0}}, .outputs = {TensorId{1}}},
                        {.inputs = {TensorId{1}}, .outputs = {TensorId{2}}},
                        {.inputs = {TensorId{0}, TensorId{1}}, .outputs = {TensorId{3}}}};
  for (Operation& operation : problem.operations) {
    operation.compute_j = 1;
    operation.compute_s = 2;
  }
  return problem;
}

SolveReport planned(Problem problem, const Uncertainty& uncertainty, double deadline_s) {
  problem.uncertainty = uncertainty;
  set_deadline(problem, deadline_s);
  SolveOptions options;
  options.gap_ratio = 0;
  SolveReport report = *make_planner()->solve(problem, options, {}, {});
  if (report.best) {
    EXPECT_TRUE(replay(problem, *report.best).valid());
  }
  return report;
}

TEST(PlanUncertain, IsOptimalWhereTheWorstCaseIsInTime) {
  const SolveReport report = planned(there_and_back(TimeMode::Blocking), {.ratio = 0.5}, 15);
  EXPECT_EQ(report.status, SolveStatus::Optimal);
  EXPECT_EQ(report.objective, 6);
}

TEST(PlanUncertain, SaysWhatTheDeadlineLeavesWhereTheWorstCaseIsLate) {
  const SolveReport report = planned(there_and_back(TimeMode::Blocking), {.ratio = 0.5}, 14);
  ASSERT_EQ(report.status, SolveStatus::Infeasible);
  const std::string& reason = report.infeasibility->reason;
  EXPECT_TRUE(reason.starts_with("by the figures, ")) << reason;
  EXPECT_NE(reason.find("and 9.333333333 s; "), std::string::npos) << reason;
  EXPECT_TRUE(reason.ends_with(
      "; that is what the deadline of 14 s leaves, since every cost may be 50 % above its figure: "
      "in the worst case, the shortest deadline that works is 15 s"))
      << reason;
  EXPECT_NEAR(report.infeasibility->working_time_s.value_or(0), 15, 1e-9);
  EXPECT_GT(report.infeasibility->least_time_s.value_or(0), 14);
}

TEST(PlanUncertain, PlansForOneCostThatIsPaidTwice) {
  // The two reads of x weigh 4 s, each operation 2 s: 12 s, although the least delay is 1 s.
  const Uncertainty one{.ratio = 0.5, .deviations = 1};
  EXPECT_EQ(planned(there_and_back(TimeMode::Blocking), one, 12).objective, 6);
  EXPECT_EQ(planned(there_and_back(TimeMode::Blocking), one, 12).status, SolveStatus::Optimal);
  const SolveReport late = planned(there_and_back(TimeMode::Blocking), one, 11.5);
  EXPECT_FALSE(late.best);
  EXPECT_EQ(late.status, SolveStatus::Unknown);
  ASSERT_FALSE(late.notes.empty());
  EXPECT_EQ(late.notes.back(),
            "no schedule was found that keeps the deadline of 11.5 s where one cost may be 50 % "
            "above its figure");
}

TEST(PlanUncertain, KeepsTheDeadlineBesideTheProcessorToo) {
  const Uncertainty all{.ratio = 0.5};
  // The second read begins with the second operation.
  EXPECT_EQ(planned(there_and_back(TimeMode::Overlapped), all, 15).objective, 6);
}

}  // namespace
}  // namespace poet
