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

}  // namespace
}  // namespace poet
