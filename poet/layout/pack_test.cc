#include "poet/layout/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "poet/layout/cut_rectangle_for_tests.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

PackBlock block(std::int64_t lower, std::int64_t upper, std::int64_t size) {
  return {.pieces = {{lower, upper, size}}};
}

std::int64_t size_at(const PackBlock& block, std::int64_t time) {
  for (const PackPiece& piece : block.pieces)
    if (piece.lower <= time && time < piece.upper) return piece.size;
  return 0;
}

// Stupid on purpose: looks at every pair at every moment.
void expect_right(const std::vector<PackBlock>& blocks, const Packing& packing,
                  std::int64_t last_time, std::int64_t alignment) {
  ASSERT_EQ(packing.offsets.size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(packing.offsets[i] % alignment, 0);
    EXPECT_GE(packing.offsets[i], 0);
    for (std::int64_t t = 0; t < last_time; ++t) {
      const std::int64_t end = packing.offsets[i] + size_at(blocks[i], t);
      EXPECT_LE(end, packing.height);
      for (std::size_t j = 0; j < i; ++j) {
        const std::int64_t other_end = packing.offsets[j] + size_at(blocks[j], t);
        const bool both = size_at(blocks[i], t) > 0 && size_at(blocks[j], t) > 0;
        ASSERT_FALSE(both && packing.offsets[i] < other_end && packing.offsets[j] < end)
            << "blocks " << i << " and " << j << " at time " << t;
      }
    }
  }
}

// The least height of all orders in which blocks are let fall on what lies there: every packing can
// be slid down to one of these.
std::int64_t least_height(const std::vector<PackBlock>& blocks, std::int64_t last_time) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::int64_t least = -1;
  do {
    std::vector<std::int64_t> top(static_cast<std::size_t>(last_time), 0);
    for (const std::size_t b : order) {
      std::int64_t offset = 0;
      for (std::int64_t t = 0; t < last_time; ++t)
        if (size_at(blocks[b], t) > 0) offset = std::max(offset, top[static_cast<std::size_t>(t)]);
      for (std::int64_t t = 0; t < last_time; ++t)
        if (size_at(blocks[b], t) > 0)
          top[static_cast<std::size_t>(t)] = offset + size_at(blocks[b], t);
    }
    const std::int64_t height = *std::max_element(top.begin(), top.end());
    if (least < 0 || height < least) least = height;
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

class RandomBlocks {
 public:
  explicit RandomBlocks(std::uint64_t seed) : random_(seed) {}

  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }

  // Some shrink once.
  std::vector<PackBlock> draw_blocks(std::int64_t count, std::int64_t last_time) {
    std::vector<PackBlock> blocks;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t lower = draw(0, last_time - 1);
      const std::int64_t upper = draw(lower + 1, last_time);
      PackBlock one = block(lower, upper, draw(0, 9));
      if (upper - lower > 1 && draw(0, 3) == 0) {
        const std::int64_t middle = draw(lower + 1, upper - 1);
        one.pieces[0].upper = middle;
        one.pieces.push_back({middle, upper, draw(0, one.pieces[0].size)});
      }
      blocks.push_back(one);
    }
    return blocks;
  }

 private:
  std::mt19937_64 random_;
};

TEST(Pack, NothingTakesNothing) {
  const PackReport report = pack({}, {});
  EXPECT_EQ(report.packing.height, 0);
  EXPECT_TRUE(report.proved());
}

TEST(Pack, BlocksThatNeverMeetShareTheirBytes) {
  const PackReport report = pack({block(0, 2, 5), block(2, 3, 7)}, {});
  EXPECT_EQ(report.packing, (Packing{{0, 0}, 7}));
}

TEST(Pack, WhatAShrinkingBlockLeavesIsUsed) {
  const PackBlock shrinking = {.pieces = {{0, 2, 8}, {2, 4, 2}}};
  const PackReport report = pack({shrinking, block(2, 4, 6)}, {});
  EXPECT_EQ(report.packing, (Packing{{0, 2}, 8}));
}

TEST(Pack, OffsetsAreMultiplesOfTheAlignment) {
  const std::vector<PackBlock> blocks = {block(0, 2, 5), block(1, 3, 9), block(1, 2, 1)};
  const PackReport report = pack(blocks, {.alignment = 8});
  expect_right(blocks, report.packing, 3, 8);
  EXPECT_EQ(report.packing.height, 32);
  EXPECT_TRUE(report.proved());
}

constexpr std::uint64_t kRandomPackings = testing::random_cases(3000);

// Live sizes never exceed 3, but no packing is that low: the two long ones are apart by one at one
// end and must touch at the other.
TEST(Pack, ProvesWhatLiesAboveTheLargestSum) {
  int above = 0;
  for (std::uint64_t seed = 0; seed < kRandomPackings; ++seed) {
    RandomBlocks random(seed);
    const std::vector<PackBlock> blocks = random.draw_blocks(random.draw(1, 7), 6);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PackReport report = pack(blocks, {});
    expect_right(blocks, report.packing, 6, 1);
    const std::int64_t least = least_height(blocks, 6);
    ASSERT_EQ(report.packing.height, least);
    ASSERT_TRUE(report.proved());
    std::int64_t fullest = 0;
    for (std::int64_t t = 0; t < 6; ++t) {
      std::int64_t sum = 0;
      for (const PackBlock& one : blocks) sum += size_at(one, t);
      fullest = std::max(fullest, sum);
    }
    above += least > fullest ? 1 : 0;
  }
  EXPECT_GT(above, testing::random_cases(5));  // the proof was needed
}

TEST(Pack, SaysThatNothingFitsBelowTheLeast) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomBlocks random(seed);
    const std::vector<PackBlock> blocks = random.draw_blocks(6, 5);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::int64_t least = least_height(blocks, 5);
    const PackReport report = pack(blocks, {.capacity = least - 1});
    expect_right(blocks, report.packing, 5, 1);
    ASSERT_GE(report.packing.height, least);
    ASSERT_TRUE(least == 0 || report.lower_bound > least - 1);
    ASSERT_LE(pack(blocks, {.capacity = least}).packing.height, least);
  }
}

TEST(Pack, PutsACutRectangleTogetherAgain) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomBlocks random(seed);
    const std::vector<PackBlock> blocks =
        testing::cut_rectangle(seed, random.draw(10, 80), 60, 1000);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PackReport report = pack(blocks, {.max_nodes = 200'000});
    expect_right(blocks, report.packing, 60, 1);
    ASSERT_EQ(report.packing.height, 1000);
  }
}

TEST(Pack, TheSameSeedGivesTheSamePacking) {
  const std::vector<PackBlock> blocks = testing::cut_rectangle(7, 120, 80, 1000);
  EXPECT_EQ(pack(blocks, {.max_nodes = 5000, .seed = 3}).packing,
            pack(blocks, {.max_nodes = 5000, .seed = 3}).packing);
}

TEST(Pack, HasAnAnswerWhenItIsStoppedAtOnce) {
  const std::vector<PackBlock> blocks = testing::cut_rectangle(7, 120, 80, 1000);
  Stop at_once;
  at_once.limit_s = 0;
  const PackReport report = pack(blocks, {.stop = at_once});
  expect_right(blocks, report.packing, 80, 1);
}

// Forward activations that live until their backward operation, gradients and workspaces: the shape
// of a training step, in 10,000 buffers.
TEST(Pack, ALargeTrainingStepIsPackedToItsBound) {
  RandomBlocks random(1);
  std::vector<PackBlock> blocks;
  constexpr std::int64_t kLayers = 2'500;
  for (std::int64_t i = 0; i < kLayers; ++i) {
    const std::int64_t backward = 4 * kLayers - 2 * i - 1;
    const std::int64_t size = 64 * random.draw(16, 4096);
    blocks.push_back(block(2 * i, backward + 2, size));
    blocks.push_back(block(2 * i, 2 * i + 2, 64 * random.draw(4, 2048)));
    blocks.push_back(block(backward, backward + 3, size));
    blocks.push_back(block(backward, backward + 1, 64 * random.draw(4, 2048)));
  }
  const PackReport report = pack(blocks, {.max_nodes = 1000});
  EXPECT_LE(static_cast<double>(report.packing.height),
            1.02 * static_cast<double>(report.lower_bound));
}

}  // namespace
}  // namespace poet
