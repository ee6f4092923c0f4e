#include "poet/solve/reachable_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace poet {
namespace {

TEST(ReachableSums, IsTheLimitWhereASumMeetsIt) {
  EXPECT_EQ(largest_reachable_sum({3, 5, 8}, 11), 11);
}

TEST(ReachableSums, IsTheNearestSumBelow) {
  EXPECT_EQ(largest_reachable_sum({4, 4, 4, 10}, 13), 12);
  EXPECT_EQ(largest_reachable_sum({4, 4, 4, 10}, 11), 10);
  EXPECT_EQ(largest_reachable_sum({6, 6, 6}, 17), 12);
}

TEST(ReachableSums, TakesEachSizeOnce) {
  EXPECT_EQ(largest_reachable_sum({5, 7}, 10), 7);
}

TEST(ReachableSums, IsEverythingWhereEverythingFits) {
  EXPECT_EQ(largest_reachable_sum({5, 7}, 100), 12);
}

TEST(ReachableSums, IsNothingWhereNothingFits) {
  EXPECT_EQ(largest_reachable_sum({5, 7}, 4), 0);
  EXPECT_EQ(largest_reachable_sum({}, 4), 0);
  EXPECT_EQ(largest_reachable_sum({0, 0}, 0), 0);
}

TEST(ReachableSums, CopesWithManyOfFewSizes) {
  std::vector<std::int64_t> sizes(5'000, 262'144);
  sizes.insert(sizes.end(), 5'000, 65'536);
  sizes.insert(sizes.end(), 3, 40);
  EXPECT_EQ(largest_reachable_sum(sizes, 500'000'000), 7'629 * 65'536 + 120);
}

TEST(ReachableSums, GivesUpAtTheLimitWhereThereAreTooManySums) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> sizes;
  for (int n = 0; n < 60; ++n)
    sizes.push_back(2 * static_cast<std::int64_t>(random() % 1'000'000'000));
  EXPECT_EQ(largest_reachable_sum(sizes, 15'000'000'001), 15'000'000'001);
}

// Every subset, one by one.
std::int64_t largest_by_trying(const std::vector<std::int64_t>& sizes, std::int64_t limit) {
  std::int64_t best = 0;
  for (std::uint32_t subset = 0; subset < (1U << sizes.size()); ++subset) {
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < sizes.size(); ++n)
      if ((subset >> n & 1U) != 0) sum += sizes[n];
    if (sum <= limit) best = std::max(best, sum);
  }
  return best;
}

TEST(ReachableSums, AgreesWithTryingEverySubset) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> sizes;
    const std::uint64_t largest = 1 + random() % 40;
    for (std::uint64_t count = random() % 10; count > 0; --count)
      sizes.push_back(static_cast<std::int64_t>(random() % largest * (1 + random() % 3)));
    const auto limit = static_cast<std::int64_t>(random() % 200);
    ASSERT_EQ(largest_reachable_sum(sizes, limit), largest_by_trying(sizes, limit));
  }
}

}  // namespace
}  // namespace poet
