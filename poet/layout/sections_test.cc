#include "poet/layout/sections.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

PackBlock block(std::int64_t lower, std::int64_t upper, std::int64_t size) {
  return {.pieces = {{lower, upper, size}}};
}

TEST(Sections, OnlyMomentsThatNoOtherContainsCount) {
  // 0 1 2 3 4 5
  // aaaaaaa        {a b} until 2, {a c} until 3, {c d} until 5: the rest is part of these
  //   bbb
  //       ccccc
  //         ddd
  const Sections sections =
      cut_into_sections({block(0, 3, 4), block(1, 2, 4), block(2, 5, 4), block(4, 6, 8)}, 1);
  EXPECT_EQ(sections.count, 3);
  EXPECT_EQ(sections.unit_bytes, 4);
  EXPECT_EQ(sections.load, (std::vector<std::int64_t>{2, 2, 3}));
  EXPECT_EQ(sections.lower_bound(), 3);
  EXPECT_EQ(sections.blocks[2].first, 1);
  EXPECT_EQ(sections.blocks[2].last, 3);
}

TEST(Sections, SizesAreRoundedUpToTheAlignment) {
  const Sections sections = cut_into_sections({block(0, 1, 5), block(0, 1, 16)}, 8);
  EXPECT_EQ(sections.unit_bytes, 16);
  EXPECT_EQ(sections.load, (std::vector<std::int64_t>{2}));
}

TEST(Sections, ABlockThatShrinksEndsASectionThere) {
  const PackBlock shrinking = {.pieces = {{0, 2, 8}, {2, 4, 2}}};
  const Sections sections = cut_into_sections({shrinking, block(2, 4, 6)}, 1);
  EXPECT_EQ(sections.count, 2);
  EXPECT_EQ(sections.unit_bytes, 2);
  EXPECT_EQ(sections.load, (std::vector<std::int64_t>{4, 4}));
}

TEST(Sections, BlocksWithoutBytesAreLeftOut) {
  const Sections sections = cut_into_sections({block(0, 2, 0), block(1, 3, 7)}, 1);
  ASSERT_EQ(sections.blocks.size(), 1U);
  EXPECT_EQ(sections.blocks[0].source, 1);
}

}  // namespace
}  // namespace poet
