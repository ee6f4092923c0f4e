#include "poet/methods/evicted_neighbourhood.h"

#include <gtest/gtest.h>

#include <random>

#include "poet/methods/chain_for_tests.h"

namespace poet {
namespace {

TensorId tensor(std::int32_t i) {
  return TensorId{i};
}

// x0 .. x7 cost 1 2 4 8 16 32 64 128.
Problem forward_chain() {
  Problem problem = testing::chain(8, 1);
  problem.operations.resize(8);
  problem.tensors.resize(8);
  for (std::size_t i = 0; i < 8; ++i) problem.operations[i].compute_s = static_cast<double>(1 << i);
  return problem;
}

TEST(EvictedNeighbourhood, ExactEndsAtTensorsInRam) {
  EvictedNeighbourhood around(forward_chain(), Neighbours::Exact);
  for (const std::int32_t i : {0, 2, 3, 5, 6}) around.evict(tensor(i));
  EXPECT_EQ(around.cost_s(tensor(1)), 1 + 4 + 8);
  EXPECT_EQ(around.cost_s(tensor(4)), 4 + 8 + 32 + 64);
  EXPECT_EQ(around.cost_s(tensor(7)), 32 + 64);
  around.bring_back(tensor(5));
  EXPECT_EQ(around.cost_s(tensor(4)), 4 + 8);
  EXPECT_EQ(around.cost_s(tensor(7)), 64);
}

// What comes back takes its cost along, but its class holds together: 4 still sees 64.
TEST(EvictedNeighbourhood, ClassesNeverSplit) {
  EvictedNeighbourhood around(forward_chain(), Neighbours::Classes);
  for (const std::int32_t i : {0, 2, 3, 5, 6}) around.evict(tensor(i));
  EXPECT_EQ(around.cost_s(tensor(4)), 4 + 8 + 32 + 64);
  around.bring_back(tensor(5));
  EXPECT_EQ(around.cost_s(tensor(4)), 4 + 8);
  EXPECT_EQ(around.cost_s(tensor(7)), 64);
  around.evict(tensor(4));  // joins 2 and 3
  around.bring_back(tensor(3));
  EXPECT_EQ(around.cost_s(tensor(1)), 1 + 4 + 16);
  EXPECT_EQ(around.cost_s(tensor(5)), 4 + 16 + 64);
}

TEST(EvictedNeighbourhood, AloneThereIsOnlyItsOwnCost) {
  EvictedNeighbourhood around(forward_chain(), Neighbours::None);
  around.evict(tensor(0));
  EXPECT_EQ(around.cost_s(tensor(1)), 0);
  EXPECT_EQ(around.own_cost_s(tensor(1)), 2);
  EXPECT_FALSE(around.has_evicted_dependent(tensor(1)));
  around.evict(tensor(2));
  EXPECT_TRUE(around.has_evicted_dependent(tensor(1)));
}

// Sums that are kept between questions are those of a walk from nothing.
TEST(EvictedNeighbourhood, KeptSumsAreThoseOfAFreshWalk) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 dice(seed);
    Problem problem = testing::chain(10, 1);
    for (Operation& operation : problem.operations)
      operation.compute_s = static_cast<double>(dice() % 16);
    EvictedNeighbourhood around(problem, Neighbours::Exact);
    std::vector<bool> evicted(20, false);
    for (int turn = 0; turn < 60; ++turn) {
      const auto i = static_cast<std::int32_t>(dice() % 20);
      evicted[i] ? around.bring_back(tensor(i)) : around.evict(tensor(i));
      evicted[i] = !evicted[i];
      EvictedNeighbourhood fresh(problem, Neighbours::Exact);
      for (std::int32_t j = 0; j < 20; ++j)
        if (evicted[j]) fresh.evict(tensor(j));
      for (std::int32_t j = 0; j < 20; ++j) {
        if (evicted[j]) continue;
        ASSERT_EQ(around.cost_s(tensor(j)), fresh.cost_s(tensor(j)))
            << "seed " << seed << ", turn " << turn << ", tensor " << j;
      }
    }
  }
}

}  // namespace
}  // namespace poet
