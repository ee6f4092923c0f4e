#include "poet/verify/sequential_clock.h"

#include <gtest/gtest.h>

#include "poet/verify/print_moment.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

using Moments = std::vector<Moment>;

TensorId t(int i) {
  return TensorId{i};
}
OperationId op(int v) {
  return OperationId{v};
}

// x (storage) -> a -> b(a, x); a is written, dropped and read back.
Problem there_and_back(TimeMode mode) {
  Problem problem;
  problem.time_mode = mode;
  problem.ram_budget_bytes = 20;
  problem.tensors = {
      {.name = "x", .size_bytes = 4, .home = Home::Storage, .page_in_j = 0.5, .page_in_s = 2},
      {.name = "a",
       .size_bytes = 8,
       .page_in_j = 1,
       .page_out_j = 3,
       .page_in_s = 4,
       .page_out_s = 16},
      {.name = "b", .size_bytes = 1}};
  problem.operations = {
      {.name = "a",
       .inputs = {t(0)},
       .outputs = {t(1)},
       .workspace_bytes = 6,
       .compute_j = 10,
       .compute_s = 1},
      {.name = "b", .inputs = {t(1), t(0)}, .outputs = {t(2)}, .compute_j = 20, .compute_s = 0.5}};
  return problem;
}

Schedule there_and_back_schedule() {
  return {.actions = {PageIn{t(0)}, Compute{op(0)}, PageOut{t(1)}, Drop{t(1)}, PageIn{t(1)},
                      Compute{op(1)}, Drop{t(1)}}};
}

TEST(SequentialClock, BlockingAddsEveryTransferToTheTime) {
  Problem problem = there_and_back(TimeMode::Blocking);
  problem.idle_w = 2;
  const Replay result = replay(problem, there_and_back_schedule());
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(result.moments, (Moments{{4, 0, 2},
                                     {18, 2, 3},
                                     {12, 3, 19},
                                     {4, 19, 19},
                                     {12, 19, 23},
                                     {13, 23, 23.5},
                                     {5, 23.5, 23.5}}));
  EXPECT_EQ(result.time_s, 23.5);
  EXPECT_EQ(result.compute_s, 1.5);
  EXPECT_EQ(result.stall_s, 22);
  EXPECT_EQ(result.compute_j, 30);
  EXPECT_EQ(result.page_in_j, 1.5);
  EXPECT_EQ(result.page_out_j, 3);
  EXPECT_EQ(result.idle_j, 47);
  EXPECT_EQ(result.energy_j, 81.5);
  EXPECT_EQ(result.peak_ram_bytes, 18);
}

TEST(SequentialClock, FreeTransfersTakeNoTimeButTheirEnergy) {
  Problem problem = there_and_back(TimeMode::Free);
  problem.idle_w = 2;
  const Replay result = replay(problem, there_and_back_schedule());
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(
      result.moments,
      (Moments{
          {4, 0, 0}, {18, 0, 1}, {12, 1, 1}, {4, 1, 1}, {12, 1, 1}, {13, 1, 1.5}, {5, 1.5, 1.5}}));
  EXPECT_EQ(result.time_s, 1.5);
  EXPECT_EQ(result.stall_s, 0);
  EXPECT_EQ(result.idle_j, 3);
  EXPECT_EQ(result.energy_j, 37.5);
  EXPECT_EQ(result.peak_ram_bytes, 18);
}

TEST(SequentialClock, AnActionThatCannotBeDoneTakesNoTimeAndNoRam) {
  const Replay result =
      replay(there_and_back(TimeMode::Blocking), {.actions = {PageIn{t(0)}, Drop{t(1)}}});
  EXPECT_EQ(result.moments, (Moments{{4, 0, 2}, {4, 2, 2}}));
}

}  // namespace
}  // namespace poet
