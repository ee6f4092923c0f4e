#include "poet/solve/later_need.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "poet/problem/problem.h"

namespace poet {
namespace {

// a (4 bytes) and b (6) wait while c (5) is made, then d is made from a and e from b.
Step two_waiting(std::int64_t ram_budget_bytes) {
  Problem problem;
  for (const std::int64_t size : {4, 6, 5, 0, 0}) {
    problem.operations.push_back(
        {.outputs = {TensorId{static_cast<std::int32_t>(problem.tensors.size())}}});
    problem.tensors.push_back({.size_bytes = size});
  }
  problem.operations[3].inputs = {TensorId{0}};
  problem.operations[4].inputs = {TensorId{1}};
  problem.ram_budget_bytes = ram_budget_bytes;
  return make_step(problem);
}

using Terms = std::vector<LaterNeed::Term>;

TEST(StagePressures, NameWhatWaitsAndHowMuchMustBeAbsent) {
  const StagePressure pressure = stage_pressures(two_waiting(8))[2];
  ASSERT_EQ(pressure.waiting.size(), 2u);
  EXPECT_EQ(pressure.waiting[0].chain, 0);
  EXPECT_EQ(pressure.waiting[0].until, 3);
  EXPECT_EQ(pressure.waiting[1].chain, 1);
  EXPECT_EQ(pressure.waiting[1].until, 4);
  EXPECT_EQ(pressure.demand_bytes, 5 + 4 + 6 - 8);
}

TEST(ViolatedCuts, NothingWhereEverythingFits) {
  const Step step = two_waiting(15);
  EXPECT_TRUE(
      violated_cuts(step, 2, stage_pressures(step)[2], {{0, 0}, {0, 0}, {0, 0}}, 0).empty());
}

// 3 bytes must be absent: either chain is enough.
TEST(ViolatedCuts, SizesAreClippedToTheDemand) {
  const Step step = two_waiting(12);
  const std::vector<FoundCut> found =
      violated_cuts(step, 2, stage_pressures(step)[2], {{0, 0}, {0, 0}, {0, 0}}, 0.5);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].cut,
            (LaterNeed{LaterNeed::Family::Stored, 2, Terms{{0, 3, 1}, {1, 4, 1}}, 4}));
  EXPECT_EQ(found[1].cut, (LaterNeed{LaterNeed::Family::Read, 2, Terms{{0, 3, 1}, {1, 4, 1}}, 4}));
  EXPECT_EQ(found[0].violation, 1);
}

// 7 bytes must be absent: 4 z_a + 6 z_b >= 7, rounded by 6 to z_a + z_b >= 2. The comings 1 and 1/4
// violate that by 3/8 of its right-hand side; by 4 it would be z_a + 5/3 z_b >= 2, violated by
// less. With a taken as absent, 3 bytes of b must be: z_b >= 1.
TEST(ViolatedCuts, RoundByTheDivisorThatIsViolatedMost) {
  const Step step = two_waiting(8);
  const std::vector<FoundCut> found =
      violated_cuts(step, 2, stage_pressures(step)[2], {{1, 0.25}, {0, 0}, {0, 0}}, 1e-3);
  ASSERT_EQ(found.size(), 4u);  // each family both
  EXPECT_EQ(found[0].cut, (LaterNeed{LaterNeed::Family::Stored, 2, Terms{{1, 4, 1}}, 4}));
  EXPECT_EQ(found[0].violation, 0.75);
  EXPECT_EQ(found[2].cut,
            (LaterNeed{LaterNeed::Family::Stored, 2, Terms{{0, 3, 0.5}, {1, 4, 0.5}}, 6}));
  EXPECT_EQ(found[2].violation, 0.375);
}

TEST(ViolatedCuts, ACopyCountsInOneFamilyAndAReadInTheOther) {
  const Step step = two_waiting(8);
  const std::vector<FoundCut> found =
      violated_cuts(step, 2, stage_pressures(step)[2], {{0, 0}, {1, 1}, {0, 0}}, 1e-3);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cut.family, LaterNeed::Family::Read);
}

}  // namespace
}  // namespace poet
