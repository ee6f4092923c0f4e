#include "poet/graph/operators/strided_walk.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

using Offsets = std::vector<std::int64_t>;

// The offsets of one array in the order of the walk, counted out like an odometer.
Offsets offsets_of(const StridedWalk& walk, std::size_t array) {
  Offsets offsets;
  for (std::int64_t i = 0; i < value_count(walk.extents); ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    for (std::size_t d = walk.extents.size(); d-- > 0;) {
      offset += rest % walk.extents[d] * walk.strides[array][d];
      rest /= walk.extents[d];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

TEST(DenseStrides, CountValuesToTheNextIndex) {
  EXPECT_EQ(dense_strides({2, 3, 4}), (Offsets{12, 4, 1}));
  EXPECT_EQ(dense_strides({}), Offsets{});
}

TEST(BroadcastStrides, AreZeroWhereTheOperandIsRepeated) {
  EXPECT_EQ(broadcast_strides({3, 1}, {2, 3, 4}), (Offsets{0, 1, 0}));
  EXPECT_EQ(broadcast_strides({}, {2, 3}), (Offsets{0, 0}));
}

TEST(MergedWalk, BecomesOneDimensionWhereAllAreDense) {
  const Shape shape = {2, 3, 1, 4};
  EXPECT_EQ(merged({shape, {dense_strides(shape), dense_strides(shape)}}),
            (StridedWalk{{24}, {{1}, {1}}}));
}

TEST(MergedWalk, KeepsApartWhatOneArrayRepeats) {
  const Shape shape = {2, 3, 4, 5};
  EXPECT_EQ(merged({shape, {dense_strides(shape), broadcast_strides({3, 1, 1}, shape)}}),
            (StridedWalk{{2, 3, 20}, {{60, 20, 1}, {0, 1, 0}}}));
}

TEST(MergedWalk, OfOneValueIsEmptyUnlessAskedOtherwise) {
  const StridedWalk one{{1, 1}, {{1, 1}}};
  EXPECT_EQ(merged(one), (StridedWalk{{}, {{}}}));
  EXPECT_EQ(merged_not_empty(one), (StridedWalk{{1}, {{0}}}));
}

TEST(MergedWalk, VisitsTheSamePlacesInTheSameOrder) {
  const StridedWalk walks[] = {
      {{2, 3, 4}, {{12, 4, 1}, {1, 2, 6}}},    // a transpose
      {{2, 3, 4}, {{12, 4, 1}, {0, 0, 1}}},    // a row
      {{4, 3, 2}, {{-6, -2, -1}, {6, 2, 1}}},  // a reversal
      {{2, 1, 3, 2, 1}, {{6, 0, 2, 1, 9}, {0, 5, 0, 0, 7}}},
      {{3, 3}, {{3, 1}, {1, 0}}},
  };
  for (const StridedWalk& walk : walks) {
    const StridedWalk shorter = merged(walk);
    for (std::size_t array = 0; array < 2; ++array)
      EXPECT_EQ(offsets_of(shorter, array), offsets_of(walk, array));
  }
}

}  // namespace
}  // namespace poet
