#include "poet/autodiff/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "poet/autodiff/order_traffic.h"

namespace poet {
namespace {

std::int64_t peak(const StepMemory& memory, const Order& order) {
  const std::vector<std::int64_t> bytes = bytes_in_use(memory, order);
  return *std::max_element(bytes.begin(), bytes.end());
}

// Tries every order there is.
std::int64_t lowest_peak(const StepMemory& memory) {
  std::int64_t lowest = INT64_MAX;
  Order order;
  std::vector<bool> is_listed(memory.operations.size());
  const std::function<void()> extend = [&] {
    if (order.size() == memory.operations.size()) {
      lowest = std::min(lowest, peak(memory, order));
      return;
    }
    for (std::size_t v = 0; v < is_listed.size(); ++v) {
      const bool is_ready = std::all_of(
          memory.before[v].begin(), memory.before[v].end(),
          [&](std::int32_t earlier) { return is_listed[static_cast<std::size_t>(earlier)]; });
      if (is_listed[v] || !is_ready) continue;
      is_listed[v] = true;
      order.push_back(static_cast<std::int32_t>(v));
      extend();
      order.pop_back();
      is_listed[v] = false;
    }
  };
  extend();
  return lowest;
}

bool is_allowed(const StepMemory& memory, const Order& order) {
  std::vector<bool> is_listed(memory.operations.size());
  for (const std::int32_t v : order) {
    for (const std::int32_t earlier : memory.before[static_cast<std::size_t>(v)])
      if (!is_listed[static_cast<std::size_t>(earlier)]) return false;
    if (is_listed[static_cast<std::size_t>(v)]) return false;
    is_listed[static_cast<std::size_t>(v)] = true;
  }
  return order.size() == memory.operations.size();
}

// Operation v makes buffer v, of so many bytes, from others.
struct Maker {
  std::int64_t bytes = 0;
  std::vector<std::int32_t> reads = {};
};

StepMemory memory_of(const std::vector<Maker>& makers) {
  StepMemory memory;
  for (std::size_t v = 0; v < makers.size(); ++v) {
    memory.bytes.push_back(makers[v].bytes);
    memory.operations.push_back(
        {.reads = makers[v].reads, .makes = {static_cast<std::int32_t>(v)}});
    memory.before.push_back(makers[v].reads);
  }
  return memory;
}

// Two branches of large tensors that end small: one after the other is better than both at once.
TEST(FindOrder, FinishesABranchBeforeItBeginsTheNext) {
  const StepMemory memory =
      memory_of({{1, {}}, {10, {0}}, {10, {0}}, {1, {1}}, {1, {2}}, {1, {3, 4}}});
  const FoundOrder found = find_order(memory, {});
  EXPECT_EQ(found.figures.naive_peak_bytes, 1 + 10 + 10 + 1 - 1);
  EXPECT_EQ(found.figures.peak_bytes, 1 + 10 + 1);
  EXPECT_TRUE(is_allowed(memory, found.order));
}

// What is small and made early only to wait, may wait to be made.
TEST(FindOrder, MakesLateWhatIsNeededLate) {
  const StepMemory memory =
      memory_of({{1, {}}, {8, {0}}, {20, {0}}, {20, {2}}, {1, {3}}, {1, {1, 4}}});
  const FoundOrder found = find_order(memory, {});
  EXPECT_EQ(found.figures.naive_peak_bytes, 8 + 20 + 20);
  EXPECT_EQ(found.figures.peak_bytes, 1 + 20 + 20);
}

// Random graphs of up to 8 operations; a failure prints the seed.
StepMemory random_memory(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t below) {
    return static_cast<std::int64_t>(random() % below);
  };
  std::vector<Maker> makers;
  const std::int64_t count = 4 + draw(5);
  for (std::int64_t v = 0; v < count; ++v) {
    Maker maker{.bytes = 1 + draw(20)};
    for (std::int32_t earlier = 0; earlier < v; ++earlier)
      if (draw(3) == 0) maker.reads.push_back(earlier);
    makers.push_back(maker);
  }
  StepMemory memory = memory_of(makers);
  for (std::size_t v = 0; v < memory.operations.size(); ++v) {
    memory.operations[v].workspace_bytes = draw(5);
    for (const std::int32_t read : memory.operations[v].reads)
      if (memory.bytes[static_cast<std::size_t>(read)] == memory.bytes[v])
        memory.operations[v].handovers.push_back({read, static_cast<std::int32_t>(v)});
  }
  return memory;
}

TEST(FindOrder, IsNeverWorseThanTheGivenOrderAndNearlyAlwaysTheBest) {
  int best = 0;
  constexpr int kCases = 400;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const StepMemory memory = random_memory(seed);
    const FoundOrder found = find_order(memory, {});
    ASSERT_TRUE(is_allowed(memory, found.order));
    EXPECT_EQ(found.figures.peak_bytes, peak(memory, found.order));
    EXPECT_LE(found.figures.peak_bytes, found.figures.naive_peak_bytes);
    const std::int64_t lowest = lowest_peak(memory);
    EXPECT_GE(found.figures.peak_bytes, lowest);
    if (found.figures.peak_bytes == lowest) ++best;
  }
  EXPECT_GE(best, kCases * 95 / 100) << best;
}

// A chain there and back, whose way back leaves a result at each place that waits for an update. To
// make all results first takes less RAM at the highest moment, and more moving in little RAM.
TEST(FindOrder, UsesUpAtOnceWhatWouldHaveToWait) {
  const StepMemory memory = memory_of({{10, {}},
                                       {10, {0}},
                                       {10, {1}},
                                       {10, {2}},
                                       {40, {3, 2}},
                                       {1, {4}},
                                       {10, {3, 1}},
                                       {40, {6, 1}},
                                       {1, {7}},
                                       {10, {6, 0}},
                                       {40, {9, 0}},
                                       {1, {10}}});
  const std::int64_t ram_bytes = 65;
  const FoundOrder lowest = find_order(memory, {});
  const FoundOrder least = find_order(memory, {.ram_bytes = ram_bytes});
  EXPECT_TRUE(is_allowed(memory, least.order));
  EXPECT_EQ(least.figures.peak_bytes, peak(memory, least.order));
  EXPECT_LE(lowest.figures.peak_bytes, least.figures.peak_bytes);
  EXPECT_LE(paged_bytes(memory, least.order, ram_bytes),
            paged_bytes(memory, lowest.order, ram_bytes));
}

TEST(FindOrder, MovesNoMoreThanTheGivenOrderOrTheLowestInTheRamThatItIsFor) {
  int less = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const StepMemory memory = random_memory(seed);
    Order given(memory.operations.size());
    std::iota(given.begin(), given.end(), 0);
    const FoundOrder lowest = find_order(memory, {});
    const std::int64_t ram_bytes = lowest.figures.peak_bytes * 2 / 3;
    const FoundOrder least = find_order(memory, {.ram_bytes = ram_bytes});
    ASSERT_TRUE(is_allowed(memory, least.order));
    const std::int64_t moved_bytes = paged_bytes(memory, least.order, ram_bytes);
    ASSERT_LE(moved_bytes, paged_bytes(memory, given, ram_bytes));
    ASSERT_LE(moved_bytes, paged_bytes(memory, lowest.order, ram_bytes));
    if (moved_bytes < paged_bytes(memory, lowest.order, ram_bytes)) ++less;
    EXPECT_EQ(find_order(memory, {.ram_bytes = ram_bytes}).order, least.order);
  }
  EXPECT_GT(less, 40) << less;
}

TEST(FindOrder, LeavesTogetherWhatFollowsDirectly) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    StepMemory memory = random_memory(seed);
    std::mt19937_64 random(seed);
    for (std::size_t v = 1; v < memory.operations.size(); ++v)
      memory.operations[v].follows = random() % 3 == 0;
    const FoundOrder found = find_order(memory, {});
    ASSERT_TRUE(is_allowed(memory, found.order));
    EXPECT_EQ(found.figures.peak_bytes, peak(memory, found.order));
    EXPECT_LE(found.figures.peak_bytes, found.figures.naive_peak_bytes);
    for (std::size_t k = 0; k < found.order.size(); ++k) {
      const std::int32_t v = found.order[k];
      if (!memory.operations[static_cast<std::size_t>(v)].follows) continue;
      ASSERT_GT(k, 0U);
      EXPECT_EQ(found.order[k - 1], v - 1);
    }
  }
}

TEST(FindOrder, TriesNoMoreOrdersThanAllowedAndGivesTheSameAgain) {
  const StepMemory memory = random_memory(7);
  const FoundOrder once = find_order(memory, {.max_orders = 3});
  EXPECT_LE(once.figures.orders, 3);
  EXPECT_EQ(find_order(memory, {.max_orders = 3}).order, once.order);
}

TEST(FindOrder, TakesAnEmptyStep) {
  EXPECT_TRUE(find_order({}, {}).order.empty());
}

}  // namespace
}  // namespace poet
