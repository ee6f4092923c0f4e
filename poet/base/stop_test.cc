#include "poet/base/stop.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

Stop with_limit(double limit_s, double now_s = 0) {
  return {.elapsed_s = [now_s] { return now_s; }, .limit_s = limit_s};
}

TEST(Stop, NeverEndsByDefault) {
  const Stop stop;
  stop.count(1e18);
  EXPECT_FALSE(stop.requested());
  EXPECT_FALSE(part_of(stop, 0.01).requested());
}

TEST(Stop, EndsByTheClockAtItsLimit) {
  EXPECT_FALSE(with_limit(60, 59).requested());
  EXPECT_TRUE(with_limit(60, 60).requested());
  EXPECT_TRUE(with_limit(60, 60).requested_outside());
}

TEST(PartOf, EndsByWhatWasCounted) {
  const Stop whole = with_limit(60, 59);  // whatever the clock says
  const Stop part = part_of(whole, 0.5);
  whole.count(30 * kEffortUnitsPerSecond - 1);
  EXPECT_FALSE(part.requested());
  part.count(1);
  EXPECT_TRUE(part.requested());
  EXPECT_FALSE(part.requested_outside());
  EXPECT_FALSE(whole.requested());
}

TEST(PartOf, IsOfWhatIsLeft) {
  const Stop whole = with_limit(60);
  whole.count(40 * kEffortUnitsPerSecond);
  const Stop part = part_of(whole, 0.5);
  const Stop inner = part_of(part, 0.1);
  EXPECT_DOUBLE_EQ(part.effort_limit, 50 * kEffortUnitsPerSecond);
  EXPECT_DOUBLE_EQ(inner.effort_limit, 41 * kEffortUnitsPerSecond);
}

// On a machine that is faster than those that we know.
TEST(PartOf, LeavesALittleWhenAllIsCounted) {
  const Stop whole = with_limit(60);
  whole.count(1000 * kEffortUnitsPerSecond);
  EXPECT_DOUBLE_EQ(part_of(whole, 0.5).effort_limit, 1001.5 * kEffortUnitsPerSecond);
}

TEST(PartOf, OfAllIsAll) {
  EXPECT_EQ(part_of(with_limit(60), 1).effort_limit, std::numeric_limits<double>::infinity());
}

TEST(WithOwnLimit, CountsApart) {
  const Stop whole = with_limit(60, 10);
  whole.count(40 * kEffortUnitsPerSecond);
  const Stop own = with_own_limit(whole, 20);
  EXPECT_EQ(own.limit_s, 30);
  EXPECT_DOUBLE_EQ(part_of(own, 0.5).effort_limit, 10 * kEffortUnitsPerSecond);
  own.count(5);
  EXPECT_DOUBLE_EQ(whole.counted(), 40 * kEffortUnitsPerSecond);
  EXPECT_EQ(with_own_limit(whole, 100).limit_s, 60);
}

}  // namespace
}  // namespace poet
