#include "poet/solve/keep_intervals.h"

#include <gtest/gtest.h>

#include <limits>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

TEST(KeepIntervals, LieBetweenNeighbouringUses) {
  const KeepIntervals intervals = keep_intervals(make_step(detour()));
  // a is made in stage 0 and read in 1 and 3, b made in 1 and read in 2, c made in 2 and read in 3.
  EXPECT_EQ(intervals.begins, (std::vector<std::size_t>{0, 2, 3, 4, 4}));
  ASSERT_EQ(intervals.list.size(), 4U);
  EXPECT_EQ(intervals.list[1].chain, 0);
  EXPECT_EQ(intervals.list[1].from, 1);
  EXPECT_EQ(intervals.list[1].to, 3);
  EXPECT_EQ(intervals.list[1].make_cost, 3);
  EXPECT_EQ(intervals.list[1].inputs_cost, 0);
}

TEST(KeepIntervals, CountWhatMakingAgainNeeds) {
  const KeepIntervals intervals = keep_intervals(make_step(deep_detour()));
  // b, made in stage 1 from a, which nobody reads after that: read back at 1, or held.
  const KeepInterval& b = intervals.list[intervals.begins[1]];
  EXPECT_EQ(b.from, 1);
  EXPECT_EQ(b.to, 3);
  EXPECT_EQ(b.make_cost, 1);
  EXPECT_EQ(b.held_bytes, 4);
  EXPECT_EQ(b.inputs_cost, 1);
}

TEST(KeepIntervals, MakeNothingAgainThatRunsOnce) {
  Problem problem = detour();
  problem.operations[0].once = true;
  const KeepIntervals intervals = keep_intervals(make_step(problem));
  EXPECT_EQ(intervals.list[1].make_cost, std::numeric_limits<double>::infinity());
}

TEST(KeepIntervals, ShareTheCostOfAnOperationAmongItsOutputs) {
  Problem problem = detour();
  // a comes with e, of twice its bytes, which d reads as well.
  problem.tensors.push_back({.name = "e", .size_bytes = 12});
  problem.operations[0].outputs.push_back(TensorId{4});
  problem.operations[3].inputs.push_back(TensorId{4});
  const KeepIntervals intervals = keep_intervals(make_step(problem));
  EXPECT_EQ(intervals.list[intervals.begins[0] + 1].make_cost, 1);
  EXPECT_EQ(intervals.list[intervals.begins[4]].make_cost, 2);
}

TEST(KeepIntervals, NeedTheRoomOfAnOutputThatCannotTakeOver) {
  Problem problem = detour();
  problem.tensors[1].size_bytes = 6;
  problem.operations[1].in_place = InPlace{TensorId{0}, TensorId{1}};
  const KeepIntervals intervals = keep_intervals(make_step(problem));
  EXPECT_EQ(intervals.list[0].from_bytes, 0);
  EXPECT_EQ(intervals.list[1].from_bytes, 6);
}

}  // namespace
}  // namespace poet
