// Several memories: what is paid, what has room, and what is said of wrong places.
#include <gtest/gtest.h>

#include "poet/verify/print_moment.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

TensorId t(int i) {
  return TensorId{i};
}
OperationId op(int v) {
  return OperationId{v};
}
constexpr MemoryId kPsram{1};

enum : int { kX, kA, kFlat, kB };

// x (storage) -> a -> flat, a view of it -> b in the place of a. Whatever is in PSRAM costs 1 s and
// 2 J a byte to read, 3 s and 4 J to write.
Problem in_two_memories(TimeMode mode = TimeMode::Blocking) {
  Problem problem;
  problem.time_mode = mode;
  problem.ram_budget_bytes = 16;
  problem.further_memories = {{.name = "psram",
                               .size_bytes = 12,
                               .read_s_per_byte = 1,
                               .read_j_per_byte = 2,
                               .write_s_per_byte = 3,
                               .write_j_per_byte = 4}};
  problem.tensors = {{.name = "x",
                      .size_bytes = 10,
                      .home = Home::Storage,
                      .page_in_j = 100,
                      .page_out_j = 200,
                      .page_in_s = 50,
                      .page_out_s = 60},
                     {.name = "a", .size_bytes = 4},
                     {.name = "flat", .size_bytes = 4, .view_of = t(kA)},
                     {.name = "b", .size_bytes = 4}};
  problem.operations = {{.name = "a",
                         .inputs = {t(kX)},
                         .outputs = {t(kA)},
                         .workspace_bytes = 6,
                         .compute_j = 1000,
                         .compute_s = 500},
                        {.name = "flat", .inputs = {t(kA)}, .outputs = {t(kFlat)}, .view = true},
                        {.name = "b",
                         .inputs = {t(kFlat), t(kA)},
                         .outputs = {t(kB)},
                         .in_place = InPlace{t(kFlat), t(kB)}}};
  return problem;
}

std::vector<Action> actions() {
  return {PageIn{t(kX)}, Compute{op(0)}, Drop{t(kX)}, Compute{op(1)}, Compute{op(2)}, Drop{t(kA)}};
}

std::vector<std::string> messages(const Problem& problem, const Schedule& schedule) {
  std::vector<std::string> result;
  for (const Finding& finding : replay(problem, schedule).findings)
    result.push_back(finding.message);
  return result;
}
using Messages = std::vector<std::string>;

TEST(ReplayInMemories, WhatLiesInTheRamPaysNothing) {
  Problem problem = in_two_memories();
  problem.ram_budget_bytes = 20;
  const Replay replayed = replay(problem, {.actions = actions()});
  EXPECT_TRUE(replayed.valid());
  EXPECT_EQ(replayed.energy_j, 1100);
  EXPECT_EQ(replayed.time_s, 550);
  EXPECT_EQ(replayed.further_peak_bytes, std::vector<std::int64_t>{0});
}

// The read writes x there, and operation a reads it.
TEST(ReplayInMemories, ATransferPaysForWritingAndAnOperationForReading) {
  const Schedule schedule{.actions = actions(), .placed = {{t(kX), 0, kPsram}}};
  const Replay replayed = replay(in_two_memories(), schedule);
  EXPECT_EQ(messages(in_two_memories(), schedule), Messages{});
  EXPECT_EQ(replayed.access_j, 10 * 4 + 10 * 2);
  EXPECT_EQ(replayed.energy_j, 1100 + 60);
  EXPECT_EQ(replayed.access_s, 10);
  EXPECT_EQ(replayed.stall_s, 50 + 30);
  EXPECT_EQ(replayed.time_s, 50 + 30 + 500 + 10);
  EXPECT_EQ(replayed.peak_ram_bytes, 10);
  EXPECT_EQ(replayed.further_peak_bytes, std::vector<std::int64_t>{10});
}

TEST(ReplayInMemories, FreeTransfersTakeNoTimeWhereverTheyGo) {
  const Schedule schedule{.actions = actions(), .placed = {{t(kX), 0, kPsram}}};
  const Replay replayed = replay(in_two_memories(TimeMode::Free), schedule);
  EXPECT_EQ(replayed.access_j, 10 * 4 + 10 * 2);
  EXPECT_EQ(replayed.time_s, 500 + 10);
}

// Operation a writes it; b reads it and its view as one; the view costs nothing.
TEST(ReplayInMemories, TwoViewsOfOneTensorAreReadOnce) {
  Problem problem = in_two_memories();
  const Schedule schedule{.actions = actions(), .placed = {{t(kA), 1, kPsram}}};
  const Replay replayed = replay(problem, schedule);
  EXPECT_EQ(messages(problem, schedule), Messages{});
  EXPECT_EQ(replayed.access_j, 4 * 4 + 4 * 2);
  EXPECT_EQ(replayed.access_s, 4 * 3 + 4 * 1);
}

TEST(ReplayInMemories, BuffersShareBytesOnlyWhereBothLieInOneMemory) {
  Problem problem = in_two_memories();
  problem.ram_budget_bytes = 20;
  problem.further_memories[0].size_bytes = 4;
  const Schedule together{.actions = actions(), .placed = {{t(kA), 1, kPsram}, {t(kB), 4, kPsram}}};
  EXPECT_EQ(replay(problem, together).further_peak_bytes, std::vector<std::int64_t>{4});
  EXPECT_EQ(messages(problem, together), Messages{});
  problem.ram_budget_bytes = 16;
  const Schedule apart{.actions = actions(), .placed = {{t(kX), 0, kPsram}, {t(kB), 4, kPsram}}};
  problem.further_memories[0].size_bytes = 10;
  EXPECT_EQ(replay(problem, apart).moments[4].ram_bytes, 4);
  EXPECT_EQ(messages(problem, apart), Messages{});
}

TEST(ReplayInMemories, EachMemoryMustHaveRoom) {
  Problem problem = in_two_memories();
  EXPECT_EQ(messages(problem, {.actions = actions()}),
            Messages{"action 1 computes 'a' with 20 bytes of RAM in use; the budget is 16 bytes"});
  EXPECT_EQ(
      messages(problem, {.actions = actions(), .placed = {{t(kX), 0, kPsram}, {t(kA), 1, kPsram}}}),
      Messages{"action 1 computes 'a' with 14 bytes of memory 1 ('psram') in use; its size is "
               "12 bytes"});
}

// x is dropped while its read is under way: PSRAM has room for a once that has ended.
TEST(ReplayInMemories, OverlappedWaitsForRoomInTheMemoryThatLacksIt) {
  Problem problem = in_two_memories(TimeMode::Overlapped);
  problem.operations[0].inputs = {};
  std::vector<Action> all = actions();
  std::swap(all[1], all[2]);
  const Schedule crowded{.actions = all, .placed = {{t(kX), 0, kPsram}, {t(kA), 2, kPsram}}};
  const Replay waits = replay(problem, crowded);
  EXPECT_EQ(messages(problem, crowded), Messages{});
  EXPECT_EQ(waits.moments[2].begin_s, 50 + 30);
  const Replay at_once = replay(problem, {.actions = all, .placed = {{t(kX), 0, kPsram}}});
  EXPECT_EQ(at_once.moments[2].begin_s, 0);
}

TEST(ReplayInMemories, AResidentLiesInOneMemoryWithItsNewValue) {
  Problem problem = in_two_memories();
  problem.tensors = {
      {.name = "w", .size_bytes = 10, .home = Home::Storage, .may_be_resident = true},
      {.name = "new_w", .size_bytes = 10, .updates = t(0)}};
  problem.operations = {
      {.name = "sgd", .inputs = {t(0)}, .outputs = {t(1)}, .compute_s = 7, .once = true}};
  const Schedule schedule{
      .actions = {Compute{op(0)}}, .resident = {t(0)}, .placed = {{t(0), {}, kPsram}}};
  const Replay replayed = replay(problem, schedule);
  EXPECT_EQ(messages(problem, schedule), Messages{});
  EXPECT_EQ(replayed.access_s, 10 * 1 + 10 * 3);
  EXPECT_EQ(replayed.peak_ram_bytes, 0);
  EXPECT_EQ(replayed.further_peak_bytes, std::vector<std::int64_t>{10});
}

TEST(ReplayInMemories, WrongPlacesAreNamed) {
  Problem problem = in_two_memories();
  problem.ram_budget_bytes = 20;
  const auto placed = [&](std::vector<PlacedBuffer> all) {
    return messages(problem, {.actions = actions(), .placed = std::move(all)});
  };
  EXPECT_EQ(
      placed({{t(kA), 1, MemoryId{2}}}),
      Messages{"the schedule places tensor 1 of action 1 in memory 2, which must name a buffer "
               "once; the further memory is memory 1"});
  EXPECT_EQ(
      placed({{t(kFlat), 3, kPsram}}),
      Messages{"the schedule places tensor 2 of action 3 in memory 1, which must name a buffer "
               "once; the further memory is memory 1"});
  EXPECT_EQ(
      placed({{t(kA), 1, kPsram}, {t(kA), 1, kPsram}}),
      Messages{"the schedule places tensor 1 of action 1 in memory 1, which must name a buffer "
               "once; the further memory is memory 1"});
  EXPECT_EQ(
      placed({{t(kA), 4, kPsram}}),
      Messages{"the schedule places a buffer of 'a' (4 bytes) in memory 1 ('psram'), and action "
               "4 takes none for it"});
  EXPECT_EQ(placed({{t(kX), {}, kPsram}}),
            Messages{"the schedule places a buffer of 'x' (10 bytes) in memory 1 ('psram'), and it "
                     "is not a resident"});
  problem.further_memories.clear();
  EXPECT_EQ(
      placed({{t(kA), 1, kPsram}}),
      Messages{"the schedule places tensor 1 of action 1 in memory 1, which must name a buffer "
               "once; the problem has no further memory"});
}

}  // namespace
}  // namespace poet
