#include "poet/solve/allowed_gap.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// A schedule of 10, of which 6 cannot be avoided.
constexpr double kObjective = 10;
constexpr double kUnavoidable = 6;

SolveOptions options_of(double gap_ratio, double total_gap_ratio, double rounding_ratio) {
  SolveOptions options;
  options.gap_ratio = gap_ratio;
  options.total_gap_ratio = total_gap_ratio;
  options.rounding_ratio = rounding_ratio;
  return options;
}

TEST(AllowedGap, IsAPartOfTheOverhead) {
  EXPECT_EQ(allowed_gap(options_of(0.25, 0, 0), kObjective, kUnavoidable), 1);
}

TEST(AllowedGap, IsAPartOfTheTotalWhereThatIsMore) {
  EXPECT_EQ(allowed_gap(options_of(0.25, 0.0625, 0), kObjective, kUnavoidable), 1);
  EXPECT_EQ(allowed_gap(options_of(0.25, 0.125, 0), kObjective, kUnavoidable), 1.25);
}

TEST(AllowedGap, RoundingComesOnTop) {
  EXPECT_EQ(allowed_gap(options_of(0.25, 0, 0.125), kObjective, kUnavoidable), 1 + 1.25);
}

TEST(AllowedGap, NoGapAtAllLeavesRoundingOnly) {
  EXPECT_EQ(total_gap_ratio_of(options_of(0, 0.125, 0)), 0);
  EXPECT_EQ(allowed_gap(options_of(0, 0.125, 0.0625), kObjective, kUnavoidable), 0.625);
}

// Rounding may put the objective below what is unavoidable.
TEST(AllowedGap, NoOverheadIsLessThanNone) {
  EXPECT_EQ(allowed_gap(options_of(0.25, 0, 0), kUnavoidable, kObjective), 0);
}

TEST(StatusOf, OptimalUpToTheAllowedGap) {
  const SolveOptions options = options_of(0.25, 0, 0);
  SolveReport report;
  report.best = Schedule{};
  report.objective = kObjective;
  report.lower_bound = 9;
  EXPECT_EQ(status_of(report, options, kUnavoidable), SolveStatus::Optimal);
  report.lower_bound = 8.75;
  EXPECT_EQ(status_of(report, options, kUnavoidable), SolveStatus::Feasible);
}

TEST(StatusOf, UnknownWithoutASchedule) {
  SolveReport report;
  report.objective = report.lower_bound = kObjective;
  EXPECT_EQ(status_of(report, options_of(0.25, 0, 0), kUnavoidable), SolveStatus::Unknown);
}

}  // namespace
}  // namespace poet
