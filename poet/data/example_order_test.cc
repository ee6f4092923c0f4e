#include "poet/data/example_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace poet {
namespace {

std::vector<std::int64_t> all_of(const ExampleOrder& order, std::int64_t size) {
  std::vector<std::int64_t> examples;
  for (std::int64_t i = 0; i < size; ++i) examples.push_back(order.at(i));
  return examples;
}

TEST(ExampleOrder, IsAPermutationOfEverySize) {
  for (std::int64_t size = 1; size <= 300; ++size)
    for (const std::uint64_t seed : {0U, 1U, 77U}) {
      std::vector<std::int64_t> examples = all_of(ExampleOrder(size, seed, 3), size);
      std::sort(examples.begin(), examples.end());
      for (std::int64_t i = 0; i < size; ++i)
        ASSERT_EQ(examples[static_cast<std::size_t>(i)], i) << "size " << size << ", seed " << seed;
    }
}

TEST(ExampleOrder, IsAPermutationOfAWholeDataset) {
  std::vector<std::int64_t> examples = all_of(ExampleOrder(50'000, 1, 0), 50'000);
  std::sort(examples.begin(), examples.end());
  for (std::int64_t i = 0; i < 50'000; ++i) ASSERT_EQ(examples[static_cast<std::size_t>(i)], i);
}

TEST(ExampleOrder, DiffersFromEpochToEpochAndFromSeedToSeed) {
  const std::vector<std::int64_t> first = all_of(ExampleOrder(1000, 1, 0), 1000);
  EXPECT_NE(first, all_of(ExampleOrder(1000, 1, 1), 1000));
  EXPECT_NE(first, all_of(ExampleOrder(1000, 2, 0), 1000));
  EXPECT_EQ(first, all_of(ExampleOrder(1000, 1, 0), 1000));
}

// Of a random permutation, about one number stays in place, and half of them fall behind the one
// before.
TEST(ExampleOrder, LooksShuffled) {
  const std::vector<std::int64_t> order = all_of(ExampleOrder(10'000, 5, 2), 10'000);
  std::int64_t in_place = 0;
  std::int64_t falls = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    in_place += order[i] == static_cast<std::int64_t>(i) ? 1 : 0;
    falls += order[i] < order[i - 1] ? 1 : 0;
  }
  EXPECT_LT(in_place, 12);
  EXPECT_GT(falls, 4'700);
  EXPECT_LT(falls, 5'300);
}

TEST(ExampleOrder, TakesNoMemoryForAnyNumberOfExamples) {
  const std::int64_t size = std::int64_t{1} << 40;
  const ExampleOrder order(size, 1, 0);
  EXPECT_GE(order.at(size - 1), 0);
  EXPECT_LT(order.at(size - 1), size);
}

}  // namespace
}  // namespace poet
