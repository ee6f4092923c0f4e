#include "poet/verify/clock.h"

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

enum : int { kX, kA, kB, kC };

// x (storage) -> a -> b -> c(a, b). Every operation takes 10 s; a read takes 4 s, a write 16 s.
Problem skip_connection(std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.time_mode = TimeMode::Overlapped;
  problem.ram_budget_bytes = ram_budget_bytes;
  problem.tensors = {{.name = "x", .size_bytes = 4, .home = Home::Storage},
                     {.name = "a", .size_bytes = 8},
                     {.name = "b", .size_bytes = 2},
                     {.name = "c", .size_bytes = 1}};
  for (Tensor& tensor : problem.tensors) {
    tensor.page_in_s = 4;
    tensor.page_out_s = 16;
  }
  problem.operations = {
      {.name = "a", .inputs = {t(kX)}, .outputs = {t(kA)}, .compute_s = 10},
      {.name = "b", .inputs = {t(kA)}, .outputs = {t(kB)}, .compute_s = 10},
      {.name = "c", .inputs = {t(kA), t(kB)}, .outputs = {t(kC)}, .compute_s = 10}};
  return problem;
}

Moments moments(const Problem& problem, const std::vector<Action>& actions) {
  const Replay result = replay(problem, {.actions = actions});
  for (const Finding& finding : result.findings) ADD_FAILURE() << finding.message;
  return result.moments;
}

TEST(OverlappedClock, AComputeWaitsForItsInputsButNotForWrites) {
  const Replay result =
      replay(skip_connection(14), {.actions = {PageIn{t(kX)}, Compute{op(0)}, Drop{t(kX)},
                                               PageOut{t(kA)}, Compute{op(1)}, Compute{op(2)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(
      result.moments,
      (Moments{{4, 0, 4}, {12, 4, 14}, {8, 14, 14}, {8, 14, 30}, {10, 14, 24}, {11, 24, 34}}));
  EXPECT_EQ(result.time_s, 34);
  EXPECT_EQ(result.compute_s, 30);
  EXPECT_EQ(result.stall_s, 4);
  EXPECT_EQ(result.peak_ram_bytes, 12);
}

TEST(OverlappedClock, TheStepEndsWhenTheChannelIsIdleToo) {
  const Replay result =
      replay(skip_connection(14), {.actions = {PageIn{t(kX)}, Compute{op(0)}, Compute{op(1)},
                                               Compute{op(2)}, PageOut{t(kB)}, PageOut{t(kC)}}});
  EXPECT_EQ(result.moments[4], (Moment{15, 34, 50}));
  EXPECT_EQ(result.moments[5], (Moment{15, 50, 66}));
  EXPECT_EQ(result.time_s, 66);
  EXPECT_EQ(result.stall_s, 36);
}

TEST(OverlappedClock, ADroppedBufferIsChargedUntilItsWriteHasFinished) {
  Problem problem = skip_connection(100);
  problem.operations[2].inputs = {t(kB)};
  EXPECT_EQ(
      moments(problem, {PageIn{t(kX)}, Compute{op(0)}, Drop{t(kX)}, Compute{op(1)}, PageOut{t(kA)},
                        Drop{t(kA)}, Compute{op(2)}, Compute{op(2)}, Compute{op(2)}}),
      (Moments{{4, 0, 4},
               {12, 4, 14},
               {8, 14, 14},
               {10, 14, 24},
               {10, 24, 40},
               {10, 24, 24},  // a lingers
               {11, 24, 34},  // and still does
               {11, 34, 44},
               {3, 44, 54}}));  // the write ended at 40
}

TEST(OverlappedClock, AComputeWaitsForAWriteToFreeRam) {
  Problem problem = skip_connection(10);
  problem.operations[0].inputs = {};
  problem.operations[1].inputs = {};
  problem.operations[1].workspace_bytes = 6;
  problem.operations[2].inputs = {t(kB)};
  EXPECT_EQ(moments(problem,
                    {Compute{op(0)}, PageOut{t(kA)}, Drop{t(kA)}, Compute{op(1)}, Compute{op(2)}}),
            (Moments{{8, 0, 10}, {8, 10, 26}, {8, 10, 10}, {8, 26, 36}, {3, 36, 46}}));
}

TEST(OverlappedClock, APageInWaitsForAWriteToFreeRam) {
  Problem problem = skip_connection(12);
  problem.operations[1].inputs = {t(kX)};
  problem.operations[2].inputs = {t(kB)};
  problem.operations[0].inputs = {};
  problem.ram_budget_bytes = 11;
  EXPECT_EQ(moments(problem, {Compute{op(0)}, PageOut{t(kA)}, Drop{t(kA)}, PageIn{t(kX)},
                              Compute{op(1)}, Compute{op(2)}}),
            (Moments{{8, 0, 10}, {8, 10, 26}, {8, 10, 10}, {4, 26, 30}, {6, 30, 40}, {7, 40, 50}}));
}

TEST(OverlappedClock, OnlyWhenWaitingCannotHelpIsTheBudgetBroken) {
  Problem problem = skip_connection(7);
  problem.operations[0].inputs = {};
  problem.operations[1].inputs = {};
  problem.operations[1].workspace_bytes = 6;
  problem.operations[2].inputs = {t(kB)};
  problem.tensors[kA].size_bytes = 7;
  const Replay result = replay(problem, {.actions = {Compute{op(0)}, PageOut{t(kA)}, Drop{t(kA)},
                                                     Compute{op(1)}, Compute{op(2)}}});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message,
            "action 3 computes 'b' with 8 bytes of RAM in use; the budget is 7 bytes");
}

TEST(OverlappedClock, AReadIsQueuedBehindTheWriteOfTheSameTensorAndTakesAnotherBuffer) {
  EXPECT_EQ(
      moments(skip_connection(100), {PageIn{t(kX)}, Compute{op(0)}, Drop{t(kX)}, Compute{op(1)},
                                     PageOut{t(kA)}, Drop{t(kA)}, PageIn{t(kA)}, Compute{op(2)}}),
      (Moments{{4, 0, 4},
               {12, 4, 14},
               {8, 14, 14},
               {10, 14, 24},
               {10, 24, 40},
               {10, 24, 24},
               {18, 40, 44},  // issued at 24, beside the buffer that is being written
               {11, 44, 54}}));
}

TEST(OverlappedClock, TheSecondBufferOfATensorWaitsForItsFirstWhenRamIsShort) {
  EXPECT_EQ(
      moments(skip_connection(17), {PageIn{t(kX)}, Compute{op(0)}, Drop{t(kX)}, Compute{op(1)},
                                    PageOut{t(kA)}, Drop{t(kA)}, PageIn{t(kA)}, Compute{op(2)}})[6],
      (Moment{10, 40, 44}));
}

TEST(OverlappedClock, ARecomputationTakesAnotherBufferWhileTheOldOneIsWritten) {
  const Moments result =
      moments(skip_connection(100), {PageIn{t(kX)}, Compute{op(0)}, Compute{op(1)}, PageOut{t(kA)},
                                     Drop{t(kA)}, Compute{op(0)}, Compute{op(2)}});
  EXPECT_EQ(result[5], (Moment{22, 24, 34}));  // x, b, a and the a that is written until 40
  EXPECT_EQ(result[6], (Moment{23, 34, 44}));
}

TEST(OverlappedClock, AnOutputIsNotOverwrittenWhileItIsWrittenToStorage) {
  const Moments result =
      moments(skip_connection(100), {PageIn{t(kX)}, Compute{op(0)}, PageOut{t(kA)}, Compute{op(0)},
                                     Compute{op(1)}, Compute{op(2)}});
  EXPECT_EQ(result[3], (Moment{12, 30, 40}));
}

TEST(OverlappedClock, InPlaceWaitsForTheWriteOfItsInput) {
  Problem problem = skip_connection(100);
  problem.operations[1].in_place = InPlace{t(kA), t(kB)};
  problem.operations[2].inputs = {t(kB)};
  EXPECT_EQ(moments(problem, {PageIn{t(kX)}, Compute{op(0)}, Drop{t(kX)}, PageOut{t(kA)},
                              Compute{op(1)}, Drop{t(kA)}, Compute{op(2)}}),
            (Moments{{4, 0, 4},
                     {12, 4, 14},
                     {8, 14, 14},
                     {8, 14, 30},
                     {8, 30, 40},
                     {2, 40, 40},
                     {3, 40, 50}}));
}

TEST(OverlappedClock, AReadThatIsDroppedBeforeItArrivesIsChargedUntilThen) {
  Problem problem = skip_connection(100);
  problem.tensors[kX].page_in_s = 15;
  problem.operations[0].inputs = {};
  EXPECT_EQ(moments(problem,
                    {PageIn{t(kX)}, Drop{t(kX)}, Compute{op(0)}, Compute{op(1)}, Compute{op(2)}}),
            (Moments{{4, 0, 15}, {4, 0, 0}, {12, 0, 10}, {14, 10, 20}, {11, 20, 30}}));
}

TEST(OverlappedClock, ASecondReadDoesNotDelayWhatIsThereAlready) {
  const Moments result =
      moments(skip_connection(100), {PageIn{t(kX)}, PageIn{t(kX)}, PageIn{t(kX)}, Compute{op(0)},
                                     Compute{op(1)}, Compute{op(2)}});
  EXPECT_EQ(result[2], (Moment{4, 8, 12}));
  EXPECT_EQ(result[3], (Moment{12, 4, 14}));
}

TEST(OverlappedClock, AWriteOfWhatIsStillArrivingIsQueuedBehindIt) {
  const Moments result =
      moments(skip_connection(100), {PageIn{t(kX)}, PageOut{t(kX)}, Drop{t(kX)}, PageIn{t(kX)},
                                     Compute{op(0)}, Compute{op(1)}, Compute{op(2)}});
  EXPECT_EQ(result[1], (Moment{4, 4, 20}));
  EXPECT_EQ(result[3], (Moment{8, 20, 24}));
  EXPECT_EQ(result[4], (Moment{12, 24, 34}));
}

}  // namespace

}  // namespace poet
