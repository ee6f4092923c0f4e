#include "poet/report/value_scale.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

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
