#include <gtest/gtest.h>

#include "poet/plan/plan.h"

namespace poet {

void PrintTo(const PlanBuffer& buffer, std::ostream* out) {
  *out << "tensor " << index_of(buffer.tensor) << ": " << buffer.size_bytes << " bytes ["
       << buffer.begin_action << ", " << buffer.end_action << ")";
  if (buffer.shares) *out << " shares " << *buffer.shares;
  if (buffer.memory != kFastRam) *out << " in memory " << index_of(buffer.memory);
}

namespace {

using Buffers = std::vector<PlanBuffer>;

TensorId t(int i) {
  return TensorId{i};
}
OperationId op(int v) {
  return OperationId{v};
}

// x (storage) -> a -> b, and flat is a view of a.
Problem two_operations() {
  Problem problem;
  problem.tensors = {{.name = "x", .size_bytes = 10, .home = Home::Storage},
                     {.name = "a", .size_bytes = 8},
                     {.name = "flat", .size_bytes = 8, .view_of = t(1)},
                     {.name = "b", .size_bytes = 8}};
  problem.operations = {{.name = "a", .inputs = {t(0)}, .outputs = {t(1)}},
                        {.name = "flat", .inputs = {t(1)}, .outputs = {t(2)}, .view = true},
                        {.name = "b", .inputs = {t(2)}, .outputs = {t(3)}}};
  return problem;
}

// w (chosen or at home in RAM) -> w' in its place.
Problem one_update(Home home) {
  Problem problem;
  problem.tensors = {
      {.name = "w", .size_bytes = 10, .home = home, .may_be_resident = home == Home::Storage},
      {.name = "w'",
       .size_bytes = 10,
       .home = home == Home::Storage ? Home::Made : Home::Resident,
       .updates = t(0)}};
  problem.operations = {{.name = "sgd", .inputs = {t(0)}, .outputs = {t(1)}, .once = true}};
  return problem;
}

TEST(BuffersOf, ABufferLiesWhereTheSchedulePlacesIt) {
  Problem problem = two_operations();
  problem.further_memories = {{.size_bytes = 100}};
  problem.operations[2].in_place = InPlace{t(2), t(3)};
  Schedule schedule{.actions = {PageIn{t(0)}, Compute{op(0)}, Drop{t(0)}, Compute{op(1)},
                                Compute{op(2)}, Drop{t(1)}},
                    .placed = {{t(1), 1, MemoryId{1}}}};
  EXPECT_EQ(buffers_of(problem, schedule),
            (Buffers{{t(0), 10, 0, 3}, {t(1), 8, 1, 6, {}, MemoryId{1}}, {t(3), 8, 4, 6}}));
  schedule.placed.push_back({t(3), 4, MemoryId{1}});
  EXPECT_EQ(buffers_of(problem, schedule)[2], (PlanBuffer{t(3), 8, 4, 6, 1, MemoryId{1}}));
}

TEST(BuffersOf, AResidentAndItsNewValueLieInOneMemory) {
  for (const Home home : {Home::Storage, Home::Resident}) {
    Problem problem = one_update(home);
    problem.further_memories = {{.size_bytes = 100}};
    Schedule schedule{.actions = {Compute{op(0)}}, .placed = {{t(0), {}, MemoryId{1}}}};
    if (home == Home::Storage) schedule.resident = {t(0)};
    EXPECT_EQ(buffers_of(problem, schedule),
              (Buffers{{t(0), 10, 0, 1, {}, MemoryId{1}}, {t(1), 10, 0, 1, 0, MemoryId{1}}}));
  }
}

TEST(BuffersOf, ABufferIsFreeAfterItsDropOrAtTheEnd) {
  const Schedule schedule = {
      .actions = {PageIn{t(0)}, Compute{op(0)}, Drop{t(0)}, Compute{op(1)}, Compute{op(2)}}};
  const Buffers expected = {{.tensor = t(0), .size_bytes = 10, .begin_action = 0, .end_action = 3},
                            {.tensor = t(1), .size_bytes = 8, .begin_action = 1, .end_action = 5},
                            {.tensor = t(3), .size_bytes = 8, .begin_action = 4, .end_action = 5}};
  EXPECT_EQ(buffers_of(two_operations(), schedule), expected);
}

TEST(BuffersOf, ATensorThatComesBackTakesAnotherBuffer) {
  const Schedule schedule = {.actions = {PageIn{t(0)}, Compute{op(0)}, PageOut{t(1)}, Drop{t(1)},
                                         PageIn{t(1)}, Compute{op(1)}, Compute{op(2)}}};
  const Buffers expected = {{.tensor = t(0), .size_bytes = 10, .begin_action = 0, .end_action = 7},
                            {.tensor = t(1), .size_bytes = 8, .begin_action = 1, .end_action = 4},
                            {.tensor = t(1), .size_bytes = 8, .begin_action = 4, .end_action = 7},
                            {.tensor = t(3), .size_bytes = 8, .begin_action = 6, .end_action = 7}};
  EXPECT_EQ(buffers_of(two_operations(), schedule), expected);
}

TEST(BuffersOf, WhatIsInRamAlreadyKeepsItsBuffer) {
  const Schedule schedule = {.actions = {PageIn{t(0)}, PageIn{t(0)}, Compute{op(0)}, Compute{op(0)},
                                         Drop{t(0)}, Compute{op(1)}}};
  const Buffers expected = {{.tensor = t(0), .size_bytes = 10, .begin_action = 0, .end_action = 5},
                            {.tensor = t(1), .size_bytes = 8, .begin_action = 2, .end_action = 6}};
  EXPECT_EQ(buffers_of(two_operations(), schedule), expected);
}

TEST(BuffersOf, AnOutputInPlaceSharesTheBufferThatIsDroppedNext) {
  Problem problem = two_operations();
  problem.operations[2].in_place = InPlace{t(2), t(3)};  // through the view
  const Schedule schedule = {.actions = {PageIn{t(0)}, Compute{op(0)}, Drop{t(0)}, Compute{op(1)},
                                         Compute{op(2)}, Drop{t(1)}}};
  const Buffers expected = {
      {.tensor = t(0), .size_bytes = 10, .begin_action = 0, .end_action = 3},
      {.tensor = t(1), .size_bytes = 8, .begin_action = 1, .end_action = 6},
      {.tensor = t(3), .size_bytes = 8, .begin_action = 4, .end_action = 6, .shares = 1}};
  EXPECT_EQ(buffers_of(problem, schedule), expected);
}

TEST(BuffersOf, NothingIsSharedWhenTheDropComesLater) {
  Problem problem = two_operations();
  problem.operations[2].in_place = InPlace{t(2), t(3)};
  const Schedule schedule = {.actions = {PageIn{t(0)}, Compute{op(0)}, Compute{op(1)},
                                         Compute{op(2)}, Drop{t(0)}, Drop{t(1)}}};
  for (const PlanBuffer& buffer : buffers_of(problem, schedule)) EXPECT_FALSE(buffer.shares);
}

TEST(BuffersOf, RomHasNoBuffer) {
  Problem problem = two_operations();
  problem.tensors[0].home = Home::Rom;
  const Buffers expected = {{.tensor = t(1), .size_bytes = 8, .begin_action = 0, .end_action = 1}};
  EXPECT_EQ(buffers_of(problem, {.actions = {Compute{op(0)}}}), expected);
}

TEST(BuffersOf, AResidentHasOneBufferAndItsNewValueSharesIt) {
  const Buffers expected = {
      {.tensor = t(0), .size_bytes = 10, .begin_action = 0, .end_action = 1},
      {.tensor = t(1), .size_bytes = 10, .begin_action = 0, .end_action = 1, .shares = 0}};
  EXPECT_EQ(buffers_of(one_update(Home::Resident), {.actions = {Compute{op(0)}}}), expected);
  EXPECT_EQ(
      buffers_of(one_update(Home::Storage), {.actions = {Compute{op(0)}}, .resident = {t(0)}}),
      expected);
}

TEST(BuffersOf, ActionsWithUnknownNamesTakeNothing) {
  const Schedule schedule = {
      .actions = {PageIn{t(9)}, Compute{op(-1)}, Compute{op(7)}, Drop{t(-3)}, Drop{t(1)}},
      .resident = {t(99)}};
  EXPECT_TRUE(buffers_of(two_operations(), schedule).empty());
}

}  // namespace
}  // namespace poet
