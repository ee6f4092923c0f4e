#include "poet/solve/fitted_start.h"

#include <gtest/gtest.h>

#include "poet/problem/facts.h"
#include "poet/solve/detour_for_tests.h"
#include "poet/solve/event_solver.h"

namespace poet {
namespace {

TEST(FittedStart, LeavesWhatFits) {
  Problem problem = detour();
  EXPECT_EQ(fitted_start(make_step(problem), repeated(), {}), repeated());
  problem.ram_budget_bytes = 15;
  EXPECT_EQ(fitted_start(make_step(problem), kept(), {}), kept());
}

// a cannot stay while c is made: it is read again, or made again where that is cheaper.
TEST(FittedStart, EndsTheStayThatCostsLeast) {
  Problem problem = detour();
  EXPECT_EQ(fitted_start(make_step(problem), kept(), {}), paged());
  problem.operations[0].compute_j = 2;
  EXPECT_EQ(fitted_start(make_step(problem), kept(), {}), repeated());
}

TEST(FittedStart, GivesUpOnAWorkingSetAboveTheBudget) {
  Problem problem = detour();
  problem.ram_budget_bytes = 11;
  EXPECT_EQ(fitted_start(make_step(problem), kept(), {}), std::nullopt);
}

TEST(FittedStart, RefusesWhatIsNotASchedule) {
  EventChoice choice = paged();
  choice.stored[0] = false;
  EXPECT_EQ(fitted_start(make_step(detour()), choice, {}), std::nullopt);
}

// The parameter stays, and a makes room.
TEST(FittedStart, KeepsResidents) {
  Problem problem = detour();
  problem.ram_budget_bytes = 14;
  problem.tensors.push_back(
      {.name = "p", .size_bytes = 2, .home = Home::Storage, .may_be_resident = true});
  problem.operations[1].inputs.push_back(TensorId{4});
  EventChoice resident = kept();
  resident.stored.push_back(false);
  resident.resident.push_back(true);
  EventChoice expected = paged();
  expected.stored.push_back(false);
  expected.resident.push_back(true);
  EXPECT_EQ(fitted_start(make_step(problem), resident, {}), expected);
}

// Nothing else is at hand: what a is made from is not in RAM, and nothing may be paged.
TEST(EventSolver, BeginsWithAScheduleOfMoreRam) {
  Problem problem = detour_from_storage();
  problem.paging_allowed = false;
  SolveOptions options;
  options.techniques.greedy = false;
  const Stop at_once{.token = {}, .elapsed_s = {}, .limit_s = 0};
  const auto solved = [&] { return make_event_solver()->solve(problem, options, at_once, {}); };
  EXPECT_EQ(solved()->best, std::nullopt);
  options.start = plain_schedule(problem);
  const Result<SolveReport> report = solved();
  ASSERT_TRUE(report.ok() && report->best);
  EXPECT_EQ(report->objective, 9);  // 6 for each once, 3 for a again
}

}  // namespace
}  // namespace poet
