#include "poet/solve/walk_prices.h"

#include <gtest/gtest.h>

#include <vector>

namespace poet {
namespace {

WalkStop first(double make) {
  WalkStop stop;
  stop.makes = stop.first_production = true;
  stop.make = make;
  return stop;
}

WalkStop again(double hold_before, double make) {
  WalkStop stop;
  stop.makes = true;
  stop.hold_before = hold_before;
  stop.make = make;
  return stop;
}

WalkStop use(double hold_before, double stay, double read = kNever) {
  WalkStop stop;
  stop.hold_before = hold_before;
  stop.stay = stay;
  stop.read = read;
  return stop;
}

// Made for 1; may be made again for 2, when staying until then costs 3; then 4 to stay until it is
// used, which earns 5, also where it is read for 2.5.
std::vector<WalkStop> made_twice_and_used() {
  return {first(1), again(3, 2), use(4, -5, 2.5 - 5)};
}

TEST(ChainWalk, WithoutStopsIsFree) {
  const std::vector<WalkStop> stops;
  EXPECT_EQ(ChainWalk(stops, false).cheapest(), 0);
}

TEST(ChainWalk, IsTheCheapestOfAllWays) {
  const std::vector<WalkStop> stops = made_twice_and_used();
  EXPECT_EQ(ChainWalk(stops, false).cheapest(), 1);           // and it leaves
  EXPECT_EQ(ChainWalk(stops, true).cheapest(), 1 + 2.5 - 5);  // and it is read
}

TEST(ChainWalk, GoesThroughAStop) {
  const std::vector<WalkStop> stops = made_twice_and_used();
  const ChainWalk walk(stops, false);
  EXPECT_EQ(walk.cheapest_making(1), 1 + 2 + 4 - 5);
  EXPECT_EQ(walk.cheapest_present(1), 1 + 3 + 4 - 5);
  EXPECT_EQ(walk.cheapest_present(2), 1 + 2 + 4 - 5);
  EXPECT_EQ(walk.cheapest_reading(2), kNever);
  EXPECT_EQ(walk.cheapest_making(2), kNever);
}

TEST(ChainWalk, ReadsOnlyACopy) {
  const std::vector<WalkStop> stops = made_twice_and_used();
  const ChainWalk walk(stops, true);
  EXPECT_EQ(walk.cheapest_reading(2), 1 + 2.5 - 5);
  EXPECT_EQ(walk.cheapest_present(2), 1 + 2.5 - 5);
  EXPECT_EQ(walk.cheapest_making(1), 1 + 2 + 2.5 - 5);  // leaves again, and is read
}

TEST(ChainWalk, KnowsBothPlacesAfterEachStop) {
  const std::vector<WalkStop> stops = made_twice_and_used();
  const ChainWalk walk(stops, false);
  EXPECT_EQ(walk.up_to(0).out, 0);
  EXPECT_EQ(walk.up_to(0).in, kNever);
  EXPECT_EQ(walk.up_to(1).out, 1);
  EXPECT_EQ(walk.up_to(1).in, 1);
  EXPECT_EQ(walk.up_to(2).out, 1);
  EXPECT_EQ(walk.up_to(2).in, 1 + 2);
  EXPECT_EQ(walk.up_to(3).out, 1);
  EXPECT_EQ(walk.up_to(3).in, 1 + 2 + 4 - 5);
}

// No walk goes around the first production, however dear, or is in RAM before it.
TEST(ChainWalk, TheFirstProductionHappens) {
  const std::vector<WalkStop> stops = {use(0, -7), first(10)};
  const ChainWalk walk(stops, true);
  EXPECT_EQ(walk.cheapest(), 10);
  EXPECT_EQ(walk.cheapest_present(0), kNever);
}

// Staying after a use is charged, as where an output takes the buffer over; leaving is not.
TEST(ChainWalk, ChargesForStayingAfterwards) {
  std::vector<WalkStop> stops = {first(0), use(0, -1), use(0, -4)};
  stops[1].keep_after = 3;
  EXPECT_EQ(ChainWalk(stops, false).cheapest(), -1 + 3 - 4);
  EXPECT_EQ(ChainWalk(stops, false).cheapest_present(1), -1 + 3 - 4);
  stops[2].stay = -2;
  EXPECT_EQ(ChainWalk(stops, false).cheapest(), -1);
  EXPECT_EQ(ChainWalk(stops, false).cheapest_present(2), -1 + 3 - 2);
}

// A chain at home in storage has no production.
TEST(ChainWalk, BeginsInStorage) {
  const std::vector<WalkStop> stops = {use(0, -3, 1 - 3), use(2, -3, 1 - 3)};
  EXPECT_EQ(ChainWalk(stops, true).cheapest(), 2 * (1 - 3));
  EXPECT_EQ(ChainWalk(stops, false).cheapest(), 0);
}

TEST(StepBack, PaysWhatStepOverPays) {
  const std::vector<WalkStop> stops = made_twice_and_used();
  for (const bool may_read : {false, true}) {
    Places left{0, 0};
    for (std::size_t n = stops.size(); n-- > 0;) left = step_back(stops[n], may_read, left);
    EXPECT_EQ(left.out, ChainWalk(stops, may_read).cheapest());
    EXPECT_EQ(left.in, kNever);
  }
}

TEST(StepBack, CountsTheHoldOnlyFromInside) {
  const WalkStop stop = use(4, -5, -2);
  EXPECT_EQ(step_back(stop, false, {0, 0}).out, 0);
  EXPECT_EQ(step_back(stop, false, {0, 0}).in, 4 - 5);
  EXPECT_EQ(step_back(stop, true, {0, 0}).out, -2);
  EXPECT_EQ(step_back(stop, true, {1, -1}).out, -2 - 1);
}

}  // namespace
}  // namespace poet
