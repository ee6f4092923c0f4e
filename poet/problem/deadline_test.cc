#include "poet/problem/deadline.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

TEST(WithinDeadline, AllowsABillionthOfTheDeadline) {
  EXPECT_TRUE(within_deadline(5, 5));
  EXPECT_TRUE(within_deadline(5 + 4e-9, 5));
  EXPECT_FALSE(within_deadline(5 + 6e-9, 5));
  EXPECT_FALSE(within_deadline(1e-300, 0));
}

TEST(WithinDeadline, IsTheSameInWhateverOrderTimesAreAdded) {
  EXPECT_GT(0.22 + 0.34 + 0.31, 0.87);
  EXPECT_TRUE(within_deadline(0.22 + 0.34 + 0.31, 0.87));
  EXPECT_TRUE(within_deadline(0.31 + 0.34 + 0.22, 0.87));
}

TEST(WithinDeadline, TakesAnotherToleranceOnRequest) {
  EXPECT_TRUE(within_deadline(5.4, 5, 0.1));
  EXPECT_FALSE(within_deadline(5 + 1e-9, 5, 0));
}

TEST(LatestEnd, IsFiniteForTheLongestDeadline) {
  constexpr double kLongest_s = std::numeric_limits<double>::max();
  EXPECT_EQ(latest_end_s(kLongest_s), kLongest_s);
}

}  // namespace
}  // namespace poet
