#include "poet/report/method_chart.h"

#include <gtest/gtest.h>

#include "poet/report/page_text_for_tests.h"

namespace poet {
namespace {

using sample::has;

MethodChartInput input() {
  return {.title = "net <1> on board",
          .quantity = "energy",
          .bars = {{.method = "chen", .overhead_ratio = 0.5, .why_not = ""},
                   {.method = "keep-all", .overhead_ratio = {}, .why_not = "needs 5 B of RAM"},
                   {.method = "poet", .overhead_ratio = 0.01, .why_not = ""}},
          .bound_ratio = 0.009,
          .bound_words = "by cbc 2.10.8, without certificate"};
}

TEST(MethodChart, SaysWhatEachMethodNeedsOrWhyItHasNoAnswer) {
  const Chart chart = method_chart(input());
  EXPECT_TRUE(has(chart.body, ">50 %, cut<"));
  EXPECT_TRUE(has(chart.body, ">needs 5 B of RAM<"));
  EXPECT_TRUE(has(chart.body, ">1 %<"));
  EXPECT_TRUE(has(chart.body, "bound: no less than 0.9 %"));
  EXPECT_TRUE(has(chart.description, "keep-all: needs 5 B of RAM."));
  EXPECT_TRUE(has(chart.description, "has less than 0.9 % (by cbc 2.10.8, without certificate)."));
}

TEST(MethodChart, CutsOnlyWhatIsFarBeyondTheBest) {
  MethodChartInput near = input();
  near.bars[0].overhead_ratio = 0.02;
  EXPECT_FALSE(has(method_chart(near).body, "cut"));
}

TEST(MethodChart, EscapesNames) {
  EXPECT_TRUE(has(method_chart(input()).body, "net &lt;1&gt; on board"));
}

TEST(MethodChart, DrawsAChartWithoutAnyAnswer) {
  MethodChartInput none = input();
  for (MethodBar& bar : none.bars) bar.overhead_ratio.reset();
  none.bound_ratio.reset();
  const Chart chart = method_chart(none);
  EXPECT_TRUE(has(chart.body, ">needs 5 B of RAM<"));
  EXPECT_FALSE(has(chart.body, "bound"));
}

}  // namespace
}  // namespace poet
