#include "poet/methods/least_cut.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace poet {
namespace {

using Arcs = std::vector<std::tuple<std::int32_t, std::int32_t, std::int64_t>>;

FlowNetwork network_of(std::int32_t nodes, const Arcs& arcs) {
  FlowNetwork network(nodes);
  for (const auto& [from, to, capacity] : arcs) network.add_arc(from, to, capacity);
  return network;
}

std::int64_t capacity_of(const Arcs& arcs, const std::vector<bool>& source_side) {
  std::int64_t sum = 0;
  for (const auto& [from, to, capacity] : arcs)
    if (source_side[from] && !source_side[to]) sum += capacity;
  return sum;
}

// 0 -> 1 -> 3 -> 5 and 0 -> 2 -> 4 -> 5, with 2 -> 3 across.
TEST(LeastCut, CutsWhereTheCapacityIsLeast) {
  const Arcs arcs = {{0, 1, 10}, {0, 2, 10}, {1, 3, 4}, {2, 4, 9},
                     {2, 3, 8},  {3, 5, 10}, {4, 5, 10}};
  const std::vector<bool> side = network_of(6, arcs).source_side_of_least_cut(0, 5);
  EXPECT_EQ(side, (std::vector<bool>{true, true, false, false, false, false}));
  EXPECT_EQ(capacity_of(arcs, side), 14);
}

TEST(LeastCut, TakesTheOneNearestToTheSinkOfSeveral) {
  const FlowNetwork network = network_of(4, {{0, 1, 2}, {1, 2, 2}, {2, 3, 2}});
  EXPECT_EQ(network.source_side_of_least_cut(0, 3), (std::vector<bool>{true, true, true, false}));
}

TEST(LeastCut, NeverCutsWhatIsUnlimited) {
  const FlowNetwork network = network_of(
      4, {{0, 1, FlowNetwork::kUnlimited}, {1, 2, 1'000'000}, {2, 3, FlowNetwork::kUnlimited}});
  EXPECT_EQ(network.source_side_of_least_cut(0, 3), (std::vector<bool>{true, true, false, false}));
}

TEST(LeastCut, NoCutOfARandomNetworkIsSmaller) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 dice(seed);
    const auto nodes = static_cast<std::int32_t>(2 + dice() % 7);
    Arcs arcs;
    for (std::uint64_t left = dice() % 20; left > 0; --left)
      arcs.emplace_back(dice() % nodes, dice() % nodes, dice() % 10);
    const std::vector<bool> side = network_of(nodes, arcs).source_side_of_least_cut(0, nodes - 1);
    ASSERT_TRUE(side[0] && !side[nodes - 1]) << "seed " << seed;
    for (std::uint64_t others = 0; others < (1u << (nodes - 2)); ++others) {
      std::vector<bool> other(nodes, false);
      other[0] = true;
      for (std::int32_t k = 0; k + 2 < nodes; ++k) other[k + 1] = (others >> k) & 1;
      ASSERT_LE(capacity_of(arcs, side), capacity_of(arcs, other)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace poet
