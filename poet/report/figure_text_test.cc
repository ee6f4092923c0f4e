#include "poet/report/figure_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

TEST(SizeFigure, UsesBinaryUnits) {
  EXPECT_EQ(size_figure(0), "0 B");
  EXPECT_EQ(size_figure(1023), "1023 B");
  EXPECT_EQ(size_figure(1024), "1 KiB");
  EXPECT_EQ(size_figure(737'719), "720.4 KiB");
  EXPECT_EQ(size_figure(2'453'760), "2.34 MiB");
  EXPECT_EQ(size_figure(127'759'104), "121.8 MiB");
}

TEST(SizeFigure, GoesToTheNextUnitWhenRoundingReachesIt) {
  EXPECT_EQ(size_figure(1024 * 1024 - 1), "1 MiB");
}

TEST(EnergyFigure, HasFourSignificantDigits) {
  EXPECT_EQ(energy_figure(0), "0 J");
  EXPECT_EQ(energy_figure(0.5508501), "550.9 mJ");
  EXPECT_EQ(energy_figure(0.99999), "1 J");
  EXPECT_EQ(energy_figure(36'808.31), "36.81 kJ");
  EXPECT_EQ(energy_figure(1.25e-6), "1.25 µJ");
}

TEST(TimeFigure, ChangesToMinutesAndHours) {
  EXPECT_EQ(time_figure(0.01234), "12.34 ms");
  EXPECT_EQ(time_figure(99.94), "99.94 s");
  EXPECT_EQ(time_figure(200), "3 min 20 s");
  EXPECT_EQ(time_figure(3599), "59 min 59 s");
  EXPECT_EQ(time_figure(3600), "1 h 0 min");
  EXPECT_EQ(time_figure(7260), "2 h 1 min");
}

TEST(PercentFigure, NeverRoundsToNothing) {
  EXPECT_EQ(percent_figure(0), "0 %");
  EXPECT_EQ(percent_figure(0.00001), "under 0.01 %");
  EXPECT_EQ(percent_figure(0.0083), "0.83 %");
  EXPECT_EQ(percent_figure(0.195), "19.5 %");
  EXPECT_EQ(percent_figure(2.4), "240 %");
  EXPECT_EQ(percent_figure(std::numeric_limits<double>::infinity()), "unknown");
}

TEST(PercentFigure, ReachesAHundredOnlyWithAllOfIt) {
  EXPECT_EQ(percent_figure(1), "100 %");
  EXPECT_EQ(percent_figure(737'536.0 / 737'719.0), "99.98 %");
  EXPECT_EQ(percent_figure(0.9999999), "over 99.99 %");
  EXPECT_EQ(percent_figure(0.9994), "99.9 %");
}

TEST(CountFigure, GroupsByThousands) {
  EXPECT_EQ(count_figure(0), "0");
  EXPECT_EQ(count_figure(999), "999");
  EXPECT_EQ(count_figure(2'465'832), "2,465,832");
  EXPECT_EQ(count_figure(-123'456), "-123,456");
}

TEST(Counted, KnowsOneFromMany) {
  EXPECT_EQ(counted(1, "operation"), "1 operation");
  EXPECT_EQ(counted(0, "operation"), "0 operations");
}

TEST(ShortNumber, HasNoTrailingZerosAndNoMinusZero) {
  EXPECT_EQ(short_number(1.50, 2), "1.5");
  EXPECT_EQ(short_number(100, 2), "100");
  EXPECT_EQ(short_number(-0.001, 2), "0");
}

TEST(FigureText, ALossHasFourDecimalsWhereTheyMeanSomething) {
  EXPECT_EQ(loss_figure(2.302585), "2.3026");
  EXPECT_EQ(loss_figure(-0.5), "-0.5000");
  EXPECT_EQ(loss_figure(4.8098e30), "4.81e+30");
  EXPECT_EQ(loss_figure(std::numeric_limits<double>::quiet_NaN()), "nan");
}

}  // namespace
}  // namespace poet
