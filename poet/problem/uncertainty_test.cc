#include "poet/problem/uncertainty.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// x -> a -> b: x, at home in storage, is read in 0.5 s; a takes 2 s and b 1 s.
Problem chain(std::optional<std::int64_t> deviations) {
  Problem problem;
  problem.ram_budget_bytes = 100;
  problem.tensors = {{.size_bytes = 4, .home = Home::Storage, .page_in_s = 0.5, .page_out_s = 9},
                     {.size_bytes = 8, .page_in_s = 9, .page_out_s = 9},
                     {.size_bytes = 6, .page_in_s = 9, .page_out_s = 9}};
  problem.operations = {{.inputs = {TensorId{0}}, .outputs = {TensorId{1}}, .compute_s = 2},
                        {.inputs = {TensorId{1}}, .outputs = {TensorId{2}}, .compute_s = 1}};
  problem.uncertainty = Uncertainty{.ratio = 0.25, .deviations = deviations};
  return problem;
}

TEST(Uncertainty, IsAShorterDeadlineByTheFiguresWhereAllCostsMayBeAbove) {
  Problem problem = chain(std::nullopt);
  set_deadline(problem, 5);
  EXPECT_EQ(problem.deadline_s, 4);
  EXPECT_EQ(asked_deadline_s(problem), 5);
  EXPECT_EQ(least_worst_s(problem, 4), 5);
  EXPECT_FALSE(check_problem(problem));
}

TEST(Uncertainty, LeavesWhatTheLargestCostsOfEveryScheduleTakeAway) {
  EXPECT_EQ(figures_deadline_s(chain(1), 5), 4.5);
  EXPECT_EQ(figures_deadline_s(chain(2), 5), 4.25);
  EXPECT_EQ(figures_deadline_s(chain(9), 5), 4.125);
  EXPECT_EQ(least_worst_s(chain(2), 4), 4.75);
}

TEST(Uncertainty, CountsNoTransferThatTakesNoTimeOrMayBeSaved) {
  Problem problem = chain(9);
  problem.time_mode = TimeMode::Free;
  EXPECT_EQ(least_delay_s(problem), 0.75);
  problem.time_mode = TimeMode::Blocking;
  problem.tensors[0].may_be_resident = true;
  EXPECT_EQ(least_delay_s(problem), 0.75);
}

TEST(Uncertainty, NeverTakesMoreThanIfAllCostsWereAbove) {
  EXPECT_EQ(figures_deadline_s(chain(9), 2), 1.6);
  EXPECT_EQ(least_worst_s(chain(9), 0.4), 0.5);
}

TEST(Uncertainty, ChangesNothingWhereThereIsNone) {
  Problem problem = by_the_figures(chain(1));
  set_deadline(problem, 5);
  EXPECT_EQ(problem.deadline_s, 5);
  EXPECT_EQ(asked_deadline_s(problem), 5);
  EXPECT_EQ(least_delay_s(problem), 0);
  EXPECT_EQ(least_worst_s(problem, 3), 3);
}

std::string fault_of(const Problem& problem) {
  const Failure failure = check_problem(problem);
  return failure ? failure->message : "";
}

TEST(CheckProblem, RefusesAnUncertaintyThatIsNone) {
  Problem problem = chain(0);
  EXPECT_EQ(fault_of(problem), "the problem needs at least 1 cost that may be above its figure");
  problem = chain(1);
  problem.uncertainty->ratio = 0;
  EXPECT_EQ(fault_of(problem),
            "the problem needs an uncertainty above 0, and at most 10 times a cost");
  problem.uncertainty->ratio = 11;
  EXPECT_EQ(fault_of(problem),
            "the problem needs an uncertainty above 0, and at most 10 times a cost");
}

TEST(CheckProblem, RefusesADeadlineThatDoesNotFollowFromThatOfTheWorstCase) {
  Problem problem = chain(1);
  set_deadline(problem, 5);
  problem.deadline_s = 4.25;
  EXPECT_EQ(fault_of(problem),
            "the problem has a deadline by the figures of 4.25 s, but that of the worst case "
            "leaves 4.5 s");
  problem.deadline_s = 4.75;  // lets more pass than that
  EXPECT_EQ(fault_of(problem), "");
  problem.deadline_s.reset();
  EXPECT_EQ(fault_of(problem),
            "the problem needs a deadline by the figures and one of the worst case, or neither");
}

}  // namespace
}  // namespace poet
