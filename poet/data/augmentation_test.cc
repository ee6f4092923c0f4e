#include "poet/data/augmentation.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace poet {
namespace {

constexpr std::int64_t kChannels = 2;
constexpr std::int64_t kHeight = 3;
constexpr std::int64_t kWidth = 4;
const Shape kShape = {kChannels, kHeight, kWidth};

// 1, 2, 3 ...
std::vector<float> picture() {
  std::vector<float> values;
  for (int k = 0; k < kChannels * kHeight * kWidth; ++k)
    values.push_back(static_cast<float>(k + 1));
  return values;
}

std::vector<float> changed(const Augmentation& augmentation, std::int64_t position,
                           std::uint64_t seed = 1) {
  std::vector<float> values = picture();
  augment(augmentation, seed, position, kShape, values);
  return values;
}

// Pixel by pixel from the picture as it was.
std::vector<float> moved(std::int64_t down, std::int64_t right, bool flips) {
  const std::vector<float> from = picture();
  std::vector<float> into;
  for (std::int64_t c = 0; c < kChannels; ++c)
    for (std::int64_t y = 0; y < kHeight; ++y)
      for (std::int64_t x = 0; x < kWidth; ++x) {
        const std::int64_t from_y = y + down;
        const std::int64_t from_x = (flips ? kWidth - 1 - x : x) + right;
        const bool is_there = from_y >= 0 && from_y < kHeight && from_x >= 0 && from_x < kWidth;
        into.push_back(
            is_there ? from[static_cast<std::size_t>((c * kHeight + from_y) * kWidth + from_x)]
                     : 0);
      }
  return into;
}

TEST(Augmentation, FlipsOneTimeInTwo) {
  int flipped = 0;
  for (int position = 0; position < 400; ++position) {
    const std::vector<float> values = changed({.flips = true}, position);
    const bool is_flipped = values != picture();
    EXPECT_EQ(values, moved(0, 0, is_flipped));
    flipped += is_flipped ? 1 : 0;
  }
  EXPECT_NEAR(flipped, 200, 40);
}

// Also moves that are larger than the picture.
TEST(Augmentation, MovesEachWayAlike) {
  for (const std::int64_t most : {1, 5}) {
    std::set<std::vector<float>> seen;
    for (int position = 0; position < 2000; ++position)
      seen.insert(changed({.flips = true, .crop_pixels = most}, position));
    std::set<std::vector<float>> expected;
    for (std::int64_t down = -most; down <= most; ++down)
      for (std::int64_t right = -most; right <= most; ++right)
        for (const bool flips : {false, true}) expected.insert(moved(down, right, flips));
    EXPECT_EQ(seen, expected);
  }
}

TEST(Augmentation, IsTheSameAtTheSamePosition) {
  const Augmentation both{.flips = true, .crop_pixels = 2};
  int different = 0;
  for (int position = 0; position < 100; ++position) {
    EXPECT_EQ(changed(both, position), changed(both, position));
    different += changed(both, position) != changed(both, position, 2) ? 1 : 0;
  }
  EXPECT_GT(different, 80);
  EXPECT_EQ(changed({}, 3), picture());
}

}  // namespace
}  // namespace poet
