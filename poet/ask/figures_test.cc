#include "poet/ask/figures.h"

#include <gtest/gtest.h>

#include <limits>

#include "poet/ask/small_report_for_tests.h"

namespace poet {
namespace {

TEST(FiguresOf, DerivesOverheadAndGaps) {
  const Figures figures = figures_of(small_report());
  EXPECT_EQ(figures.lower_bound_j, 7.875);
  EXPECT_EQ(figures.lower_bound_s, std::nullopt);
  EXPECT_EQ(figures.overhead_j, 1.75);
  EXPECT_EQ(figures.overhead_s, 10);
  EXPECT_EQ(figures.gap, 0.875 / 8.75);
  EXPECT_EQ(figures.overhead_gap, 0.5);
}

TEST(FiguresOf, TellsTheBoundOfTheCertificateFromThatOfTheSearch) {
  PlanReport report = small_report();
  report.certificate.emplace().proved_bound = 7.35;
  EXPECT_EQ(figures_of(report).certified_bound, 7.35);
  EXPECT_NEAR(*figures_of(report).certified_overhead_gap, 0.8, 1e-12);
  EXPECT_EQ(figures_of(report).overhead_gap, 0.5);
  report.certificate->proved_bound = 8;
  EXPECT_EQ(figures_of(report).certified_bound, 7.875) << "no more than the bound that is claimed";
  report.certificate->fault = "it is broken";
  EXPECT_EQ(figures_of(report).certified_bound, std::nullopt);
}

TEST(FiguresOf, SpeaksOfTimeWhenTimeIsTheObjective) {
  PlanReport report = small_report();
  report.problem.objective = Objective::Time;
  report.solve.lower_bound = 75;
  const Figures figures = figures_of(report);
  EXPECT_EQ(figures.lower_bound_j, std::nullopt);
  EXPECT_EQ(figures.lower_bound_s, 75);
  EXPECT_EQ(figures.gap, 5.0 / 80);
  EXPECT_EQ(figures.overhead_gap, 0.5);
}

TEST(FiguresOf, CountsRoundingAsNoGap) {
  PlanReport report = small_report();
  report.solve.lower_bound = 8.75 * (1 - 5e-10);
  EXPECT_EQ(figures_of(report).overhead_gap, 0);
  EXPECT_EQ(figures_of(report).gap, 0);
  report.solve.lower_bound = 8.75 * (1 + 5e-10);
  EXPECT_EQ(figures_of(report).gap, 0);
}

TEST(FiguresOf, HasNoOverheadGapWithoutOverhead) {
  PlanReport report = small_report();
  report.unavoidable_j = 8.75;
  EXPECT_EQ(figures_of(report).overhead_gap, std::nullopt);
}

TEST(FiguresOf, KnowsNoGapWithoutABound) {
  PlanReport report = small_report();
  report.solve.lower_bound = -std::numeric_limits<double>::infinity();
  const Figures figures = figures_of(report);
  EXPECT_EQ(figures.lower_bound_j, std::nullopt);
  EXPECT_EQ(figures.gap, std::nullopt);
  EXPECT_EQ(figures.overhead_gap, std::nullopt);
  EXPECT_EQ(figures.overhead_j, 1.75);
}

TEST(FiguresOf, KnowsNothingOfAnInfeasibleProblem) {
  const Figures figures = figures_of(infeasible_report());
  EXPECT_EQ(figures.lower_bound_j, std::nullopt);
  EXPECT_EQ(figures.overhead_j, std::nullopt);
  EXPECT_EQ(figures.gap, std::nullopt);
}

}  // namespace
}  // namespace poet
