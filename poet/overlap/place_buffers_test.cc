#include "poet/overlap/place_buffers.h"

#include <gtest/gtest.h>

#include "poet/overlap/memory_bound.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

TensorId t(int i) {
  return TensorId{i};
}
OperationId op(int v) {
  return OperationId{v};
}
constexpr MemoryId kSlow{1};

// a and b are made and then both read, and the RAM holds one of them beside the resident r, which
// both makers read. Slow memory costs 1 s a byte to read, 2 s to write.
Problem two_beside_a_resident() {
  Problem problem;
  problem.objective = Objective::Time;
  problem.ram_budget_bytes = 12;
  problem.further_memories = {
      {.name = "slow", .size_bytes = 100, .read_s_per_byte = 1, .write_s_per_byte = 2}};
  problem.tensors = {{.name = "r", .size_bytes = 2, .home = Home::Resident},
                     {.name = "a", .size_bytes = 8},
                     {.name = "b", .size_bytes = 8},
                     {.name = "c", .size_bytes = 0}};
  problem.operations = {{.name = "a", .inputs = {t(0)}, .outputs = {t(1)}, .once = true},
                        {.name = "b", .inputs = {t(0)}, .outputs = {t(2)}, .once = true},
                        {.name = "c", .inputs = {t(1), t(2)}, .outputs = {t(3)}, .once = true}};
  problem.paging_allowed = false;
  return problem;
}

const Schedule kInOrder{.actions = {Compute{op(0)}, Compute{op(1)}, Compute{op(2)}}};

PlacedSchedule placed(const Problem& problem, const std::vector<PlacedBuffer>& fixed = {}) {
  const auto backend = open_backend("cbc");
  EXPECT_TRUE(backend.ok());
  const std::optional<PlacedSchedule> found =
      place_buffers(problem, kInOrder, **backend, {}, {}, fixed);
  EXPECT_TRUE(found);
  return found.value_or(PlacedSchedule{});
}

// One of a and b is written and read: 8 (2 + 1) s.
TEST(PlaceBuffers, ThatWhichTheRamLacksGoesWhereItCostsLeast) {
  const Problem problem = two_beside_a_resident();
  const PlacedSchedule found = placed(problem);
  EXPECT_TRUE(found.is_cheapest);
  ASSERT_EQ(found.schedule.placed.size(), 1);
  const Replay replayed = replay(problem, found.schedule);
  EXPECT_TRUE(replayed.valid());
  EXPECT_EQ(replayed.time_s, 24);
}

// The resident is read twice where it is: 2 (1 + 1) s more.
TEST(PlaceBuffers, ResidentsThatAreFixedStayThere) {
  const Problem problem = two_beside_a_resident();
  const PlacedSchedule there = placed(problem, {{t(0), {}, kSlow}});
  EXPECT_EQ(replay(problem, there.schedule).time_s, 28);
  const PlacedSchedule here = placed(problem, {{t(0), {}, kFastRam}});
  EXPECT_EQ(replay(problem, here.schedule).time_s, 24);
}

TEST(PlaceBuffers, WithoutRoomThereAreNone) {
  Problem problem = two_beside_a_resident();
  problem.further_memories[0].size_bytes = 7;
  const auto backend = open_backend("cbc");
  ASSERT_TRUE(backend.ok());
  EXPECT_FALSE(place_buffers(problem, kInOrder, **backend, {}, {}));
}

// a and b cost 24 s each where they do not stay, and the resident 4 s. While b runs 12 of 18 bytes
// are kept: at 3 s a byte a and b are worth all that they cost, and the resident its 4 s.
TEST(MemoryBound, IsWhatTheRamCannotKeep) {
  const Problem problem = two_beside_a_resident();
  EXPECT_NEAR(memory_bound_of(problem, {0, 3, 0}), 24 + 24 + 4 - 36, 1e-6);
  EXPECT_NEAR(memory_bound_of(problem, {0, 2, 0}), 16 + 16 + 4 - 24, 1e-6);
  const auto backend = open_backend("cbc");
  ASSERT_TRUE(backend.ok());
  EXPECT_NEAR(memory_bound(problem, **backend, {}), 16, 1e-6);
}

TEST(MemoryBound, WrongMultipliersProveNoMoreThanNothing) {
  const Problem problem = two_beside_a_resident();
  EXPECT_EQ(memory_bound_of(problem, {0, 0, 0}), 0);
  EXPECT_EQ(memory_bound_of(problem, {1000, 1000, 1000}), 0);
  EXPECT_EQ(memory_bound_of(problem, {-5, -5, -5}), 0);
}

}  // namespace
}  // namespace poet
