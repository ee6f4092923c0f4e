#include "poet/report/worth_chart.h"

#include <gtest/gtest.h>

#include "poet/report/page_text_for_tests.h"

namespace poet {
namespace {

using sample::has;

WorthChartInput input() {
  return {.name = "gain_by_energy",
          .title = "Gain against energy",
          .takes = "energy of a step",
          .quantity = Quantity::Joules,
          .ways = {"last", "norm"},
          .curves = {{.way = "last",
                      .points = {{"last:1", 0.001, 0.25, true}, {"a<b", 0.004, 1, false}}},
                     {.way = "norm", .points = {{"norm", 0.002, 0.5, true}}}},
          .limit = 0.003,
          .best = WorthPoint{"norm", 0.002, 0.5, true}};
}

TEST(WorthChart, SaysWhatEachChoiceGainsAndTakes) {
  const Chart chart = worth_chart(input(), ChartWidth::Wide);
  EXPECT_TRUE(has(chart.body, "<title>last:1: 25 % of the gain, 1 mJ</title>"));
  EXPECT_TRUE(has(chart.body, "<title>a&lt;b: 100 % of the gain, 4 mJ; does not fit</title>"));
  EXPECT_TRUE(has(chart.body, ">energy of a step<"));
  EXPECT_TRUE(has(chart.body, ">budget 3 mJ<"));
  EXPECT_TRUE(has(chart.body, ">best<"));
  EXPECT_EQ(chart.description,
            "last: 25 % at 1 mJ, 100 % at 4 mJ. norm: 50 % at 2 mJ, 50 % at 2 mJ. The best that "
            "fits: norm.");
}

TEST(WorthChart, LeavesALimitOutThatIsFarFromAllChoices) {
  WorthChartInput far = input();
  far.limit = 1;
  EXPECT_FALSE(has(worth_chart(far, ChartWidth::Wide).body, "budget"));
}

TEST(WorthChart, DrawsWhatIsThereWithoutABestAndOfOneChoice) {
  WorthChartInput one = input();
  one.best.reset();
  one.limit.reset();
  one.curves = {{.way = "norm", .points = {{"norm", 0.002, 1.2, true}}}};
  const Chart chart = worth_chart(one, ChartWidth::Narrow);
  EXPECT_EQ(chart.name, "gain_by_energy_narrow");
  EXPECT_TRUE(has(chart.body, ">120 %<"));
  EXPECT_FALSE(has(chart.body, "nan"));
  EXPECT_FALSE(has(chart.body, "best"));
}

}  // namespace
}  // namespace poet
