#include "poet/report/cost_chart.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(CostChart, PutsTheLongestFirst) {
  const Chart chart = cost_chart({{.name = "relu", .kind = "relu", .seconds = 0.001},
                                  {.name = "conv", .kind = "conv", .seconds = 0.003}},
                                 "formulas", ChartWidth::Wide);
  EXPECT_EQ(chart.description, "2 operations take 4 ms in all; the most of it, 3 ms, is for conv.");
  EXPECT_LT(chart.body.find("conv (conv)"), chart.body.find("relu (relu)"));
  EXPECT_NE(chart.body.find("3 ms (75 %)"), std::string::npos);
  EXPECT_NE(chart.body.find("4 ms in all: formulas"), std::string::npos);
}

TEST(CostChart, AddsUpWhatItDoesNotShow) {
  const Chart chart =
      cost_chart(std::vector<CostBar>(40, {.name = "add", .kind = "add", .seconds = 0.001}),
                 "formulas", ChartWidth::Narrow);
  EXPECT_NE(chart.body.find("10 others: 10 ms"), std::string::npos);
}

TEST(CostChart, SaysHowManyABarIsFor) {
  const Chart chart =
      cost_chart({{.name = "layer.0.fc", .kind = "matmul", .count = 12, .seconds = 0.5}},
                 "formulas", ChartWidth::Wide);
  EXPECT_EQ(chart.description,
            "12 operations take 500 ms in all; the most of it, 500 ms, is for layer.0.fc and those "
            "like it.");
  EXPECT_NE(chart.body.find("layer.0.fc (matmul), 12 times"), std::string::npos);
}

TEST(CostChart, KeepsTheEndOfLongNames) {
  const Chart chart = cost_chart({{.name = std::string(200, 'x') + ".weight.grad",
                                   .kind = "conv",
                                   .seconds = 1,
                                   .backward = true}},
                                 "formulas", ChartWidth::Narrow);
  EXPECT_NE(chart.body.find(".weight.grad"), std::string::npos);
  EXPECT_EQ(chart.body.find(std::string(100, 'x')), std::string::npos);
}

}  // namespace
}  // namespace poet
