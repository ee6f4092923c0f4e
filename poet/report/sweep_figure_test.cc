#include "poet/report/sweep_figure.h"

#include <gtest/gtest.h>

#include "poet/report/sample_sweep.h"

namespace poet {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const SweepFigure& figure, std::size_t curve, std::size_t point) {
  return point_lines(figure, figure.curves[curve], figure.curves[curve].points[point]);
}

TEST(PointLines, SayEverythingAboutASchedule) {
  EXPECT_EQ(lines_of(sample::three_budgets(), 2, 0),
            (Lines{"poet", "RAM budget 2 KiB (2,048 B)", "fits",
                   "energy 1.02 J, 2 % above the unavoidable", "time 55 s", "peak RAM 1.98 KiB",
                   "3 operations recomputed, 1 tensor paged"}));
}

TEST(PointLines, SpeakOfTheOverheadOfTheObjective) {
  SweepFigure figure = sample::three_budgets();
  figure.least_time = true;
  figure.unavoidable = 50;
  const Lines lines = lines_of(figure, 2, 0);
  EXPECT_EQ(lines[3], "energy 1.02 J");
  EXPECT_EQ(lines[4], "time 55 s, 10 % above the unavoidable");
}

TEST(PointLines, SayWhyThereIsNoSchedule) {
  EXPECT_EQ(lines_of(sample::three_budgets(), 0, 2),
            (Lines{"nowhere", "RAM budget 4 KiB (4,096 B)", "cannot: no paging"}));
}

TEST(HasValues, WantsAnEnergyOfSomebodyThatFits) {
  SweepFigure figure = sample::three_budgets();
  EXPECT_TRUE(has_values(figure, SweepValue::Time));
  for (Curve& curve : figure.curves)
    for (CurvePoint& point : curve.points) point.time_s = 0;
  EXPECT_FALSE(has_values(figure, SweepValue::Time));
  EXPECT_TRUE(has_values(figure, SweepValue::Energy));
}

TEST(FittedText, CutsBetweenCharacters) {
  EXPECT_EQ(fitted_text("abc", 100), "abc");
  EXPECT_EQ(fitted_text("äöüäöü", 4 * 6.6 + 0.1), "äöü…");
  EXPECT_EQ(fitted_text("abc", 0), "…");
}

TEST(WrappedText, BreaksBetweenWords) {
  EXPECT_EQ(wrapped_text("one two three", 7 * 6.6 + 0.1), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped_text("averylongword x", 20), (Lines{"averylongword", "x"}));
  EXPECT_EQ(wrapped_text("", 20), Lines{});
}

}  // namespace
}  // namespace poet
