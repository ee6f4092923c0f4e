#include "poet/report/label_spread.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

using Places = std::vector<double>;

TEST(SpreadLabels, LeavesAloneWhatDoesNotTouch) {
  EXPECT_EQ(spread_labels({10, 40, 90}, 20, 0, 100), (Places{10, 40, 90}));
}

TEST(SpreadLabels, PutsCrowdedOnesAroundTheirMiddle) {
  EXPECT_EQ(spread_labels({50, 50, 50}, 10, 0, 100), (Places{40, 50, 60}));
  EXPECT_EQ(spread_labels({20, 48, 52, 80}, 10, 0, 100), (Places{20, 45, 55, 80}));
}

TEST(SpreadLabels, StaysWithinTheLimits) {
  EXPECT_EQ(spread_labels({98, 99, 100}, 10, 0, 100), (Places{80, 90, 100}));
  EXPECT_EQ(spread_labels({-5, 0, 1}, 10, 0, 100), (Places{0, 10, 20}));
}

TEST(SpreadLabels, MovesCloserRatherThanOut) {
  EXPECT_EQ(spread_labels({5, 5, 5}, 10, 0, 10), (Places{0, 5, 10}));
}

TEST(SpreadLabels, OfNothingIsNothing) {
  EXPECT_EQ(spread_labels({}, 10, 0, 100), Places{});
}

}  // namespace
}  // namespace poet
