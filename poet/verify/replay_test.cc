#include "poet/verify/replay.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

TensorId t(int i) {
  return TensorId{i};
}
OperationId op(int v) {
  return OperationId{v};
}

std::vector<std::int64_t> ram_bytes(const Replay& replay) {
  std::vector<std::int64_t> bytes;
  for (const Moment& moment : replay.moments) bytes.push_back(moment.ram_bytes);
  return bytes;
}
using Bytes = std::vector<std::int64_t>;

// x -> a -> b, sizes 4 8 6, x at home in storage.
Problem chain() {
  Problem problem;
  problem.ram_budget_bytes = 100;
  problem.tensors = {{.name = "x", .size_bytes = 4, .home = Home::Storage},
                     {.name = "a", .size_bytes = 8},
                     {.name = "b", .size_bytes = 6}};
  problem.operations = {{.name = "a", .inputs = {t(0)}, .outputs = {t(1)}},
                        {.name = "b", .inputs = {t(1)}, .outputs = {t(2)}}};
  return problem;
}

TEST(Replay, ObjectiveIsEnergyOrTime) {
  const Replay replayed{.energy_j = 2, .time_s = 3};
  EXPECT_EQ(objective_of({.objective = Objective::Energy}, replayed), 2);
  EXPECT_EQ(objective_of({.objective = Objective::Time}, replayed), 3);
}

TEST(Replay, InPlaceCountsTheSharedBytesOnce) {
  Problem problem = chain();
  problem.operations[1].in_place = InPlace{t(1), t(2)};
  problem.operations[1].workspace_bytes = 1;
  const Replay result = replay(
      problem, {.actions = {PageIn{t(0)}, Compute{op(0)}, Drop{t(0)}, Compute{op(1)}, Drop{t(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{4, 12, 8, 9, 6}));
}

TEST(Replay, InPlaceNeedsTheDropRightBehindTheCompute) {
  Problem problem = chain();
  problem.operations[1].in_place = InPlace{t(1), t(2)};
  const Replay result = replay(
      problem, {.actions = {PageIn{t(0)}, Compute{op(0)}, Compute{op(1)}, Drop{t(0)}, Drop{t(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{4, 12, 18, 14, 6}));
}

TEST(Replay, InPlaceSharesNothingWhenTheOutputHasABufferAlready) {
  Problem problem = chain();
  problem.operations[1].in_place = InPlace{t(1), t(2)};
  const Replay result = replay(problem, {.actions = {PageIn{t(0)}, Compute{op(0)}, Compute{op(1)},
                                                     Compute{op(1)}, Drop{t(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{4, 12, 18, 18, 10}));
}

TEST(Replay, InPlaceThroughAViewDropsTheRoot) {
  Problem problem = chain();
  problem.tensors.push_back({.name = "flat", .size_bytes = 8, .view_of = t(1)});
  problem.operations = {
      {.name = "a", .inputs = {t(0)}, .outputs = {t(1)}},
      {.name = "flat", .inputs = {t(1)}, .outputs = {t(3)}, .view = true},
      {.name = "b", .inputs = {t(3)}, .outputs = {t(2)}, .in_place = InPlace{t(3), t(2)}}};
  const Replay result = replay(problem, {.actions = {PageIn{t(0)}, Compute{op(0)}, Drop{t(0)},
                                                     Compute{op(1)}, Compute{op(2)}, Drop{t(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{4, 12, 8, 8, 8, 6}));
}

TEST(Replay, AResidentGivesItsPlaceToNobody) {
  Problem problem = chain();
  problem.tensors[0] = {.name = "x", .size_bytes = 8, .home = Home::Resident};
  problem.operations[0].in_place = InPlace{t(0), t(1)};
  const Replay result = replay(problem, {.actions = {Compute{op(0)}, Drop{t(0)}, Compute{op(1)}}});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].rule, Rule::FixedTensorMoved);
  EXPECT_EQ(ram_bytes(result), (Bytes{16, 16, 22}));
}

TEST(Replay, WhatIsMissingTakesNoRam) {
  for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped}) {
    Problem problem = chain();
    problem.time_mode = mode;
    const Replay result = replay(problem, {.actions = {Compute{op(0)}, Drop{t(0)}, Drop{t(1)},
                                                       PageOut{t(1)}, Compute{op(1)}, Drop{t(1)}}});
    ASSERT_EQ(result.findings.size(), 2u);
    EXPECT_EQ(result.findings[0].rule, Rule::InputNotInRam);
    EXPECT_EQ(result.findings[1].rule, Rule::PageOutNotInRam);
    EXPECT_EQ(ram_bytes(result), (Bytes{8, 8, 0, 0, 6, 6}));
  }
}

TEST(Replay, WhatWasMissingTakesRamOnceItIsThere) {
  const Replay result = replay(chain(), {.actions = {Compute{op(0)}, PageIn{t(0)}, Drop{t(0)},
                                                     PageOut{t(2)}, Compute{op(1)}, Drop{t(2)}}});
  EXPECT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(ram_bytes(result), (Bytes{8, 12, 8, 8, 14, 8}));
}

TEST(Replay, AViewAndItsRootAreOneInput) {
  Problem problem = chain();
  problem.tensors.push_back({.name = "flat", .size_bytes = 8, .view_of = t(1)});
  problem.operations = {{.name = "a", .inputs = {t(0)}, .outputs = {t(1)}},
                        {.name = "flat", .inputs = {t(1)}, .outputs = {t(3)}, .view = true},
                        {.name = "b", .inputs = {t(1), t(3)}, .outputs = {t(2)}}};
  Schedule schedule = {
      .actions = {PageIn{t(0)}, Compute{op(0)}, Drop{t(0)}, Compute{op(1)}, Compute{op(2)}}};
  EXPECT_EQ(ram_bytes(replay(problem, schedule)), (Bytes{4, 12, 8, 8, 14}));
  schedule.actions.insert(schedule.actions.begin() + 4, Drop{t(1)});
  EXPECT_EQ(replay(problem, schedule).findings.size(), 1u);
}

TEST(Replay, SeveralOutputsAreMadeTogetherAndDroppedApart) {
  Problem problem = chain();
  problem.tensors.push_back({.name = "statistics", .size_bytes = 2});
  problem.operations[0].outputs = {t(1), t(3)};
  const Replay result =
      replay(problem, {.actions = {PageIn{t(0)}, Compute{op(0)}, Drop{t(3)}, Compute{op(0)},
                                   Drop{t(1)}, Compute{op(0)}, Compute{op(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{4, 14, 12, 14, 6, 14, 20}));
  EXPECT_EQ(result.recomputed_operations, 2);
}

TEST(Replay, RomCostsNoRam) {
  Problem problem = chain();
  problem.tensors[0].home = Home::Rom;
  const Replay result = replay(problem, {.actions = {Compute{op(0)}, Compute{op(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{8, 14}));
  EXPECT_EQ(result.storage_bytes, 0);
}

TEST(Replay, ResidentsCountInEveryMoment) {
  Problem problem = chain();
  problem.tensors[0].home = Home::Resident;
  const Replay result = replay(problem, {.actions = {Compute{op(0)}, Compute{op(1)}, Drop{t(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{12, 18, 10}));
  EXPECT_EQ(replay(problem, {}).peak_ram_bytes, 4);
}

// w -> g, and sgd puts w' in the place of w.
Problem update(Home home) {
  Problem problem;
  problem.ram_budget_bytes = 100;
  problem.tensors = {
      {.name = "w", .size_bytes = 10, .home = home, .may_be_resident = home == Home::Storage},
      {.name = "g", .size_bytes = 10},
      {.name = "w'",
       .size_bytes = 10,
       .home = home == Home::Storage ? Home::Made : Home::Resident,
       .updates = t(0)},
      {.name = "norm", .size_bytes = 1}};
  problem.operations = {{.name = "g", .inputs = {t(0)}, .outputs = {t(1)}},
                        {.name = "sgd", .inputs = {t(0), t(1)}, .outputs = {t(2)}, .once = true},
                        {.name = "norm", .inputs = {t(2)}, .outputs = {t(3)}}};
  return problem;
}

TEST(Replay, AnUpdateIsWrittenToItsOldPlace) {
  const Replay result =
      replay(update(Home::Storage),
             {.actions = {PageIn{t(0)}, Compute{op(0)}, Compute{op(1)}, Drop{t(0)}, PageOut{t(2)},
                          Drop{t(2)}, PageIn{t(2)}, Compute{op(2)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{10, 20, 30, 20, 20, 10, 20, 21}));
  EXPECT_EQ(result.storage_bytes, 10);
  EXPECT_EQ(result.written_bytes, 10);
  EXPECT_EQ(result.read_bytes, 20);
  EXPECT_EQ(result.paged_tensors, 0);
}

TEST(Replay, AnUpdateMayShareTheBufferOfItsOldValue) {
  Problem problem = update(Home::Storage);
  problem.operations[1].in_place = InPlace{t(0), t(2)};
  const Replay result = replay(problem, {.actions = {PageIn{t(0)}, Compute{op(0)}, Compute{op(1)},
                                                     Drop{t(0)}, PageOut{t(2)}, Compute{op(2)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{10, 20, 20, 20, 20, 21}));
}

TEST(Replay, TheNewValueOfAResidentTakesItsPlace) {
  const std::vector<Action> actions = {Compute{op(0)}, Compute{op(1)}, Compute{op(2)}};
  for (const Home home : {Home::Storage, Home::Resident}) {
    Schedule schedule = {.actions = actions};
    if (home == Home::Storage) schedule.resident = {t(0), t(0)};  // twice is once
    const Replay result = replay(update(home), schedule);
    EXPECT_TRUE(result.valid());
    EXPECT_EQ(ram_bytes(result), (Bytes{20, 20, 21}));
    EXPECT_EQ(result.written_bytes, 0);
    EXPECT_EQ(result.storage_bytes, home == Home::Storage ? 10 : 0);
  }
}

TEST(Replay, WritingAHomeThatHasNotChangedIsChargedButTakesNoStorage) {
  Problem problem = chain();
  problem.tensors[0].page_out_j = 7;
  const Replay result =
      replay(problem, {.actions = {PageIn{t(0)}, PageOut{t(0)}, Compute{op(0)}, Compute{op(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(result.page_out_j, 7);
  EXPECT_EQ(result.storage_bytes, 4);
  EXPECT_EQ(result.written_bytes, 4);
  EXPECT_EQ(result.paged_tensors, 0);
}

TEST(Replay, SecondTransfersAreChargedAndTakeNoMoreRoom) {
  Problem problem = chain();
  problem.tensors[1].page_out_j = 1;
  problem.tensors[1].page_in_j = 2;
  const Replay result = replay(problem, {.actions = {PageIn{t(0)}, Compute{op(0)}, PageOut{t(1)},
                                                     PageOut{t(1)}, PageIn{t(1)}, Compute{op(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(ram_bytes(result), (Bytes{4, 12, 12, 12, 12, 18}));
  EXPECT_EQ(result.page_out_j, 2);
  EXPECT_EQ(result.page_in_j, 2);
  EXPECT_EQ(result.storage_bytes, 12);
  EXPECT_EQ(result.written_bytes, 16);
  EXPECT_EQ(result.read_bytes, 12);
  EXPECT_EQ(result.paged_tensors, 1);
}

TEST(Replay, ACopySurvivesARecomputation) {
  const Replay result =
      replay(chain(), {.actions = {PageIn{t(0)}, Compute{op(0)}, PageOut{t(1)}, Drop{t(1)},
                                   Compute{op(0)}, Drop{t(1)}, PageIn{t(1)}, Compute{op(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(result.recomputed_operations, 1);
}

TEST(Replay, ReExecutionsWithinAStageComeInAnyOrder) {
  const Replay result =
      replay(chain(), {.actions = {PageIn{t(0)}, Compute{op(0)}, Compute{op(1)}, Compute{op(1)},
                                   Compute{op(0)}, Compute{op(1)}}});
  EXPECT_TRUE(result.valid());
  EXPECT_EQ(result.recomputed_operations, 3);
}

TEST(Replay, SumsOfWritesStayAtTheLargestNumber) {
  Problem problem = chain();
  problem.tensors[1].size_bytes = std::int64_t{1} << 61;
  std::vector<Action> actions = {PageIn{t(0)}, Compute{op(0)}};
  for (int i = 0; i < 9; ++i) actions.push_back(PageOut{t(1)});
  EXPECT_EQ(replay(problem, {.actions = actions}).written_bytes,
            std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace poet
