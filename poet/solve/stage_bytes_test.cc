#include "poet/solve/stage_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace poet {
namespace {

TEST(StageBytes, CountsWhatLiesAboveTheBudget) {
  StageBytes bytes(4, 10);
  bytes.add(0, 3, 8);
  bytes.add(1, 4, 7);
  bytes.settle();
  EXPECT_EQ(bytes.at(0), 8);
  EXPECT_EQ(bytes.at(1), 15);
  EXPECT_EQ(bytes.at(3), 7);
  EXPECT_EQ(bytes.excess(), 10);
  bytes.add(1, 2, -7);
  bytes.settle();
  EXPECT_EQ(bytes.excess(), 5);
}

TEST(StageBytes, OfNoStageIsNothing) {
  StageBytes bytes(3, 10);
  bytes.add(2, 2, 100);
  bytes.settle();
  EXPECT_EQ(bytes.excess(), 0);
}

TEST(StageBytes, WaitsUntilItIsSettled) {
  StageBytes bytes(3, 10);
  bytes.add(0, 2, 100);
  EXPECT_EQ(bytes.at(1), 0);
  EXPECT_EQ(bytes.excess(), 0);
  bytes.add(0, 2, -100);
  bytes.add(1, 3, 12);
  bytes.settle();
  EXPECT_EQ(bytes.at(0), 0);
  EXPECT_EQ(bytes.at(2), 12);
  EXPECT_EQ(bytes.excess(), 4);
}

TEST(StageBytes, AgreesWithAddingOneByOne) {
  constexpr std::int32_t kStages = 300;
  constexpr std::int64_t kBudget = 40;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    StageBytes bytes(kStages, kBudget);
    std::vector<std::int64_t> naive(kStages, 0);
    for (int n = 0; n < 100; ++n) {
      const auto begin = static_cast<std::int32_t>(random() % kStages);
      const auto end = begin + static_cast<std::int32_t>(random() % (kStages - begin + 1));
      const std::int64_t more = static_cast<std::int64_t>(random() % 41) - 15;
      bytes.add(begin, end, more);
      for (std::int32_t t = begin; t < end; ++t) naive[t] += more;
      if (random() % 3 == 0) continue;  // several at once
      bytes.settle();
      std::int64_t excess = 0;
      for (std::int32_t t = 0; t < kStages; ++t) {
        ASSERT_EQ(bytes.at(t), naive[t]);
        excess += std::max<std::int64_t>(0, naive[t] - kBudget);
      }
      ASSERT_EQ(bytes.excess(), excess);
    }
  }
}

}  // namespace
}  // namespace poet
