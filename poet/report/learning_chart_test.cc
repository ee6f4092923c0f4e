#include "poet/report/learning_chart.h"

#include <gtest/gtest.h>

#include <cmath>

#include "poet/report/page_text_for_tests.h"

namespace poet {
namespace {

using sample::count_of;
using sample::has;

TEST(LossChart, SaysWhereTheLossBeganAndEnded) {
  const Chart chart =
      loss_chart({.losses = {2.5F, 1.0F, 0.5F}, .tested = {{3, 0.75, 0.5}}}, ChartWidth::Wide);
  EXPECT_EQ(chart.description, "The loss of 3 steps: 2.5 at first, 0.5 at last.");
  EXPECT_EQ(count_of(chart.body, "<circle"), 2);  // in the legend, and of the test
}

// From 2.5 at the upper end of the axis to 0.5, four fifths of the way down.
TEST(LossChart, DrawsHighLossesHigh) {
  const std::string body = loss_chart({.losses = {2.5F, 0.5F}}, ChartWidth::Wide).body;
  EXPECT_TRUE(has(body, "M64 44L948 248.8"));
}

TEST(LossChart, LeavesOutWhatIsNoNumber) {
  const std::string body =
      loss_chart({.losses = {1.0F, NAN, INFINITY, 0.5F}}, ChartWidth::Wide).body;
  EXPECT_FALSE(has(body, "nan"));
  EXPECT_FALSE(has(body, "inf"));
}

TEST(LossChart, IsSmallForManySteps) {
  const LearningCurve curve{.losses = std::vector<float>(100'000, 1.5F)};
  EXPECT_LT(loss_chart(curve, ChartWidth::Wide).body.size(), 100'000U);
}

TEST(AccuracyChart, NamesTheLastOne) {
  const LearningCurve curve{.losses = {1, 1, 1, 1},
                            .tested = {{2, 1.0, 0.5}, {4, 0.5, 0.95}, {4, 0.5, std::nullopt}}};
  const Chart chart = accuracy_chart(curve, ChartWidth::Wide);
  EXPECT_EQ(chart.description, "Accuracy on the test data over 4 steps, at last 95 %.");
  EXPECT_EQ(count_of(chart.body, "<circle"), 2);
}

}  // namespace
}  // namespace poet
