#include "poet/api/plan_check.h"

#include <gtest/gtest.h>

#include "poet/api/small_report_for_tests.h"

namespace poet {
namespace {

TEST(CheckPlan, AcceptsAPlanThatKeepsEveryRule) {
  const PlanCheck check = check_plan(*small_report().plan, std::nullopt);
  EXPECT_TRUE(check.valid());
  EXPECT_EQ(check.replay.energy_j, 8.75);
}

TEST(CheckPlan, ReportsTheBrokenRule) {
  Plan plan = *small_report().plan;
  plan.problem.ram_budget_bytes = 650;
  const PlanCheck check = check_plan(plan, std::nullopt);
  EXPECT_FALSE(check.valid());
  ASSERT_EQ(check.replay.findings.size(), 1);
  EXPECT_EQ(check.replay.findings[0].rule, Rule::RamBudget);
}

TEST(CheckText, NamesTheActionOnce) {
  Plan plan = *small_report().plan;
  plan.problem.ram_budget_bytes = 650;
  EXPECT_EQ(check_text(check_plan(plan, std::nullopt)),
            "chain on board, released graph, free transfers\n"
            "not valid: 1 fault found\n"
            "\n"
            "  action 7 computes 'make_c' with 700 bytes of RAM in use; the budget is 650 bytes\n");
}

TEST(CheckPlan, ReplaysInAnotherMode) {
  const Plan plan = *small_report().plan;
  EXPECT_EQ(check_plan(plan, TimeMode::Free).replay.time_s, 80);
  EXPECT_EQ(check_plan(plan, TimeMode::Blocking).replay.time_s, 88);
}

TEST(CheckPlan, RefusesBuffersOfAnotherSchedule) {
  Plan plan = *small_report().plan;
  plan.buffers[0].end_action += 1;
  EXPECT_EQ(check_plan(plan, std::nullopt).complaints,
            std::vector<std::string>{"the plan's buffers are not those of its schedule"});
}

TEST(CheckPlan, RefusesABoundAboveTheEnergy) {
  Plan plan = *small_report().plan;
  plan.proof.lower_bound = 9;
  EXPECT_EQ(
      check_plan(plan, std::nullopt).complaints,
      std::vector<std::string>{"the plan claims that nothing is below 9 J, but it takes 8.75 J"});
}

TEST(CheckPlan, RefusesAStatusThatIsNoPlans) {
  Plan plan = *small_report().plan;
  plan.proof.status = "infeasible";
  EXPECT_EQ(check_plan(plan, std::nullopt).complaints,
            std::vector<std::string>{"the plan claims the status 'infeasible', but a plan is "
                                     "'optimal' or 'feasible'"});
}

TEST(VerifyPlanFile, SaysThatAFileIsMissing) {
  const Result<PlanCheck> check = verify_plan_file("no_such_plan.json", std::nullopt);
  ASSERT_FALSE(check.ok());
  EXPECT_EQ(to_string(check.error()), "cannot read 'no_such_plan.json': No such file or directory");
}

}  // namespace
}  // namespace poet
