#include "poet/solve/least_budget.h"

#include <gtest/gtest.h>

#include <vector>

#include "poet/solve/budget_solver.h"
#include "poet/solve/detour_for_tests.h"
#include "poet/solve/linear_backend.h"

namespace poet {
namespace {

LeastBudget least_of(const Problem& problem, std::int64_t known_bytes = 0, const Stop& stop = {}) {
  return least_budget(problem, known_bytes, SearchGoal{}, **open_backend("cbc"), stop, {});
}

// Without paging a can be computed again before its last use, when there is time.
TEST(LeastBudget, IsTheLargestWorkingSetWhereRecomputingHasTheTime) {
  Problem problem = detour();
  problem.paging_allowed = false;
  const LeastBudget least = least_of(problem);
  EXPECT_EQ(least.status, SolveStatus::Optimal);
  EXPECT_EQ(least.proved_bytes, 12);
  EXPECT_EQ(least.found_bytes, 12);
  EXPECT_TRUE(least.schedule);
}

TEST(LeastBudget, IsThatOfKeepingEverythingWhereThereIsNoTime) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.deadline_s = 6.5;
  const LeastBudget least = least_of(problem);
  EXPECT_EQ(least.status, SolveStatus::Optimal);
  EXPECT_EQ(least.proved_bytes, 15);
  EXPECT_EQ(least.found_bytes, 15);
}

TEST(LeastBudget, DoesNotLookAtTheProblemsOwnBudget) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.ram_budget_bytes = 1;
  EXPECT_EQ(least_of(problem).found_bytes, 12);
}

// Keeping everything needs 15 bytes, so there is nothing left to ask.
TEST(LeastBudget, BelievesWhatIsKnown) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.deadline_s = 6.5;
  EXPECT_EQ(least_of(problem, 15).effort.rounds, 0);
}

TEST(LeastBudget, AnswersWithAnIntervalWhenItMayNotSearch) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.deadline_s = 6.5;
  const LeastBudget least = least_of(problem, 0, Stop{.token = {}, .elapsed_s = {}, .limit_s = 0});
  EXPECT_EQ(least.status, SolveStatus::Feasible);
  EXPECT_EQ(least.proved_bytes, 12);
  EXPECT_EQ(least.found_bytes, 15);
}

TEST(LeastBudget, EndsWhenTheGapIsSmallEnough) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.deadline_s = 6.5;
  SearchGoal goal;
  goal.gap_ratio = 0.25;
  const LeastBudget least = least_budget(problem, 0, goal, **open_backend("cbc"), {}, {});
  EXPECT_EQ(least.status, SolveStatus::Feasible);
  EXPECT_EQ(least.effort.rounds, 0);
}

TEST(LeastBudget, EndsWithoutAnyNodes) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.deadline_s = 6.5;
  SearchGoal goal;
  goal.max_nodes = 0;
  const LeastBudget least = least_budget(problem, 0, goal, **open_backend("cbc"), {}, {});
  EXPECT_GE(least.proved_bytes, 12);
  EXPECT_EQ(least.found_bytes, 15);
}

TEST(LeastBudget, CountsInTheCommonDivisorOfSizes) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.deadline_s = 6.5;
  for (Tensor& tensor : problem.tensors) tensor.size_bytes *= 1000;
  const LeastBudget least = least_of(problem);
  EXPECT_EQ(least.status, SolveStatus::Optimal);
  EXPECT_EQ(least.found_bytes, 15'000);
}

TEST(LeastBudget, TellsProgressInBytes) {
  Problem problem = detour_from_storage();
  problem.paging_allowed = false;
  std::vector<SolveProgress> seen;
  least_budget(problem, 0, SearchGoal{}, **open_backend("cbc"), {},
               [&seen](const SolveProgress& state) { seen.push_back(state); });
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().incumbent, 15);
  EXPECT_EQ(seen.back().incumbent, 12);
  EXPECT_EQ(seen.back().bound, 12);
}

TEST(SolveLeastBudget, SaysWhyNoBudgetWorks) {
  Problem problem = detour();
  problem.deadline_s = 5.5;
  const Result<BudgetReport> report = solve_least_budget(problem, {}, {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->least.status, SolveStatus::Infeasible);
  ASSERT_TRUE(report->infeasibility);
  EXPECT_EQ(report->infeasibility->reason,
            "one execution of every operation takes 6 s, and the deadline is 5.5 s; the shortest "
            "deadline that works is 6 s");
}

// Overlapped: writing and reading a beside other work may do, waiting for it does not.
TEST(SolveLeastBudget, ProvesOnlyWhatHoldsForFreeTransfersWhenTheyOverlap) {
  Problem problem = detour();
  problem.time_mode = TimeMode::Overlapped;
  problem.rematerialisation_allowed = false;
  problem.deadline_s = 6;
  for (Tensor& tensor : problem.tensors) tensor.page_in_s = tensor.page_out_s = 0.25;
  const Result<BudgetReport> report = solve_least_budget(problem, {}, {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->least.status, SolveStatus::Feasible);
  EXPECT_EQ(report->least.proved_bytes, 12);
  EXPECT_EQ(report->least.found_bytes, 15);
}

}  // namespace
}  // namespace poet
