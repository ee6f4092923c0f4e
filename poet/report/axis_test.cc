#include "poet/report/axis.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

std::vector<std::string> labels(double largest, Quantity quantity, int wanted) {
  std::vector<std::string> out;
  for (const Tick& tick : axis_up_to(largest, quantity, wanted).ticks) out.push_back(tick.label);
  return out;
}

using Labels = std::vector<std::string>;

TEST(Axis, CountsInRoundSteps) {
  EXPECT_EQ(labels(133, Quantity::Count, 8), (Labels{"0", "20", "40", "60", "80", "100", "120"}));
}

TEST(Axis, SizesAreRoundInBinaryUnits) {
  EXPECT_EQ(labels(737'719, Quantity::Bytes, 5), (Labels{"0", "200 KiB", "400 KiB", "600 KiB"}));
  EXPECT_EQ(axis_up_to(737'719, Quantity::Bytes, 5).ticks[1].value, 200 * 1024);
}

TEST(Axis, StaysInTheSmallerUnitBelowOneAndAHalfOfTheNext) {
  EXPECT_EQ(labels(1.4 * 1024 * 1024, Quantity::Bytes, 4), (Labels{"0", "500 KiB", "1000 KiB"}));
  EXPECT_EQ(labels(1.6 * 1024 * 1024, Quantity::Bytes, 4),
            (Labels{"0", "0.5 MiB", "1 MiB", "1.5 MiB"}));
}

TEST(Axis, TimesAndEnergiesHaveTheirUnits) {
  EXPECT_EQ(labels(0.0123, Quantity::Seconds, 4), (Labels{"0", "5 ms", "10 ms"}));
  EXPECT_EQ(labels(300, Quantity::Seconds, 5),
            (Labels{"0", "1 min", "2 min", "3 min", "4 min", "5 min"}));
  EXPECT_EQ(labels(0.55, Quantity::Joules, 3), (Labels{"0", "200 mJ", "400 mJ"}));
}

TEST(Axis, WholeThingsHaveNoFractions) {
  EXPECT_EQ(labels(1, Quantity::Count, 8), (Labels{"0", "1"}));
  EXPECT_EQ(labels(3, Quantity::Bytes, 8), (Labels{"0", "1 B", "2 B", "3 B"}));
}

TEST(Axis, NothingToShowIsOneUnit) {
  EXPECT_EQ(labels(0, Quantity::Count, 4), (Labels{"0", "1"}));
  EXPECT_EQ(axis_up_to(0, Quantity::Bytes, 4).top, 1);
}

TEST(Axis, TicksStayOnTheAxis) {
  for (double largest = 1e-8; largest < 1e12; largest *= 1.37) {
    SCOPED_TRACE(largest);
    const Axis axis = axis_up_to(largest, Quantity::Seconds, 5);
    EXPECT_GE(axis.ticks.size(), 2U);
    EXPECT_LE(axis.ticks.size(), 11U);
    EXPECT_LE(axis.ticks.back().value, axis.top);
  }
}

std::vector<std::string> labels_around(double least, double largest, Quantity quantity) {
  std::vector<std::string> out;
  for (const Tick& tick : axis_around(least, largest, quantity, 4).ticks) out.push_back(tick.label);
  return out;
}

TEST(AxisAround, BeginsAndEndsAtRoundNumbers) {
  EXPECT_EQ(labels_around(49.69, 64.74, Quantity::Seconds),
            (Labels{"45 s", "50 s", "55 s", "60 s", "65 s"}));
  EXPECT_EQ(labels_around(590'643, 2'453'760, Quantity::Bytes),
            (Labels{"0.5 MiB", "1 MiB", "1.5 MiB", "2 MiB", "2.5 MiB"}));
  const RangeAxis axis = axis_around(49.69, 64.74, Quantity::Seconds, 4);
  EXPECT_EQ(axis.bottom, 45);
  EXPECT_EQ(axis.top, 65);
}

TEST(AxisAround, HasOneStepForOneNumber) {
  EXPECT_EQ(labels_around(0, 0, Quantity::Joules), (Labels{"0", "1 nJ"}));
  const RangeAxis axis = axis_around(49.7, 49.7, Quantity::Seconds, 4);
  EXPECT_LE(axis.bottom, 49.7);
  EXPECT_GT(axis.top, 49.7);
  EXPECT_LE(axis.ticks.size(), 3U);
}

TEST(AxisAround, SurvivesWhatIsNoNumber) {
  EXPECT_EQ(labels_around(0, std::numeric_limits<double>::infinity(), Quantity::Joules),
            (Labels{"0", "1 nJ"}));
}

using Labels = std::vector<std::string>;

Labels labels(const ValueScale& scale) {
  Labels out;
  for (const ScaleTick& tick : scale.ticks) out.push_back(tick.label);
  return out;
}

Labels figures(const ValueScale& scale) {
  Labels out;
  for (const ScaleTick& tick : scale.ticks) out.push_back(tick.figure);
  return out;
}

ValueScale scale_of(std::vector<double> values, std::vector<double> bounds = {}) {
  return overhead_scale(values, bounds, 2, Quantity::Joules);
}

TEST(OverheadScale, IsLinearWhereOverheadsAreAlike) {
  const ValueScale scale = scale_of({2.1, 2.2, 2.6});
  EXPECT_EQ(scale.kind, ValueScale::Kind::Overhead);
  EXPECT_EQ(labels(scale), (Labels{"0 %", "10 %", "20 %", "30 %"}));
  EXPECT_EQ(figures(scale), (Labels{"2 J", "2.2 J", "2.4 J", "2.6 J"}));
  EXPECT_EQ(scale.place(2), 0);
  EXPECT_NEAR(scale.place(2.3), 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(scale.place(2.6), 1);
}

TEST(OverheadScale, IsLogarithmicWhereTheyDifferByOrdersOfMagnitude) {
  const ValueScale scale = scale_of({2.002, 2.8});
  EXPECT_EQ(scale.kind, ValueScale::Kind::LogOverhead);
  EXPECT_DOUBLE_EQ(scale.knee_ratio, 0.001);
  EXPECT_EQ(labels(scale),
            (Labels{"0 %", "0.1 %", "0.2 %", "0.5 %", "1 %", "2 %", "5 %", "10 %", "20 %"}));
  EXPECT_NEAR(scale.place(2.02) - scale.place(2.002), scale.place(2.2) - scale.place(2.02), 1e-9);
}

TEST(OverheadScale, GoesOnToZeroBelowTheKnee) {
  const ValueScale scale = scale_of({2, 2.002, 2.8});
  EXPECT_EQ(scale.place(2), 0);
  EXPECT_NEAR(scale.place(2.001), scale.place(2.002) / 2, 1e-9);
  EXPECT_EQ(scale.place(1.9), 0);
  EXPECT_DOUBLE_EQ(scale.place(9), 1);
}

TEST(OverheadScale, IsNotStretchedByABoundFarBelow) {
  EXPECT_DOUBLE_EQ(scale_of({2.02, 2.8}, {2.0003}).knee_ratio, 0.01);
  EXPECT_DOUBLE_EQ(scale_of({2.02, 2.8}, {2.006}).knee_ratio, 0.002);
}

TEST(OverheadScale, OfNothingAboveTheUnavoidableGoesToOnePercent) {
  EXPECT_EQ(labels(scale_of({2, 2})), (Labels{"0 %", "1 %"}));
  EXPECT_EQ(labels(scale_of({})), (Labels{"0 %", "1 %"}));
}

// 0.02 % of 2 J does not show in four digits.
TEST(OverheadScale, DoesNotRepeatAFigure) {
  const ValueScale scale = scale_of({2.0005, 2.4});
  EXPECT_EQ(scale.ticks[0].figure, "2 J");
  EXPECT_EQ(scale.ticks[1].label, "0.02 %");
  EXPECT_EQ(scale.ticks[1].figure, "");
}

TEST(PlainScale, BeginsNearTheLeastValue) {
  const std::vector<double> times = {49.7, 64.7};
  const ValueScale scale = plain_scale(times, Quantity::Seconds);
  EXPECT_EQ(labels(scale), (Labels{"45 s", "50 s", "55 s", "60 s", "65 s"}));
  EXPECT_DOUBLE_EQ(scale.place(55), 0.5);
}

TEST(PlainScale, BeginsAtZeroWhereTheLeastIsSmall) {
  const std::vector<double> times = {1, 10};
  EXPECT_EQ(plain_scale(times, Quantity::Seconds).bottom, 0);
}

TEST(PlainScale, HoldsASingleValue) {
  const std::vector<double> times = {49.7};
  const ValueScale scale = plain_scale(times, Quantity::Seconds);
  EXPECT_GE(scale.place(49.7), 0);
  EXPECT_LT(scale.place(49.7), 1);
  EXPECT_LT(scale.bottom, scale.top);
}

}  // namespace

}  // namespace poet
