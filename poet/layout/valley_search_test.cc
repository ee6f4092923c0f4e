#include "poet/layout/valley_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "poet/layout/cut_rectangle_for_tests.h"
#include "poet/layout/first_fit.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

constexpr std::int64_t kMoments = 6;

// Rectangles, as (lower, upper, size).
std::vector<PackBlock> random_blocks(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&random](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + random() % (most - least + 1));
  };
  std::vector<PackBlock> blocks;
  for (std::int64_t i = draw(3, 7); i > 0; --i) {
    const std::int64_t lower = draw(0, kMoments - 1);
    const auto after = static_cast<std::uint64_t>(lower + 1);
    blocks.push_back({.pieces = {{lower, draw(after, kMoments), draw(1, 9)}}});
  }
  return blocks;
}

bool meet(const PackPiece& a, const PackPiece& b) {
  return a.lower < b.upper && b.lower < a.upper;
}

// The least height of all orders in which blocks are let fall on what lies there.
std::int64_t least_height(const std::vector<PackBlock>& blocks) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::int64_t least = -1;
  do {
    std::vector<std::int64_t> end(blocks.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      const PackPiece& piece = blocks[order[k]].pieces[0];
      std::int64_t offset = 0;
      for (std::size_t j = 0; j < k; ++j)
        if (meet(piece, blocks[order[j]].pieces[0])) offset = std::max(offset, end[order[j]]);
      end[order[k]] = offset + piece.size;
    }
    const std::int64_t height = *std::max_element(end.begin(), end.end());
    if (least < 0 || height < least) least = height;
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

constexpr NextSection kAll[] = {NextSection::FewestChoices, NextSection::LowestFewest,
                                NextSection::LowestTightest};

SearchEnd search(const Sections& sections, std::int64_t capacity, NextSection next,
                 std::int64_t max_nodes) {
  ValleySearch search(sections, capacity);
  const SearchStyle style = {
      .next = next, .rank = ranks(sections, Rank::Area, 0, 1), .max_nodes = max_nodes};
  return search.run(style, {});
}

// Found exactly when there is a packing, in every style: at the least height, and never below it.
TEST(ValleySearch, FindsTheLeastHeightAndProvesThatItIs) {
  for (std::uint64_t seed = 0; seed < testing::random_cases(2000); ++seed) {
    const std::vector<PackBlock> blocks = random_blocks(seed);
    const Sections sections = cut_into_sections(blocks, 1);
    const std::int64_t least = least_height(blocks);
    const std::int64_t units = least / sections.unit_bytes;
    for (const NextSection next : kAll) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      ASSERT_EQ(search(sections, units, next, 10'000), SearchEnd::Found);
      ASSERT_EQ(search(sections, units - 1, next, 10'000), SearchEnd::Impossible);
    }
  }
}

// With room to spare, sections must be left empty at some heights: what leaves too few of these
// ways open finds nothing where there is something.
TEST(ValleySearch, NeverExcludesWhatIsThere) {
  for (std::uint64_t seed = 0; seed < testing::random_cases(600); ++seed) {
    const auto count = static_cast<std::int64_t>(6 + seed % 12);
    std::vector<PackBlock> blocks = testing::cut_rectangle(seed, count, 8, 12);
    // Without some blocks there are holes.
    for (std::uint64_t k = 0; k < seed % 4; ++k) blocks.pop_back();
    const Sections sections = cut_into_sections(blocks, 1);
    for (const NextSection next : kAll) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      ASSERT_NE(search(sections, 12 / sections.unit_bytes, next, 20'000), SearchEnd::Impossible);
    }
  }
}

TEST(ValleySearch, StopsAfterItsNodes) {
  const Sections sections = cut_into_sections(random_blocks(3), 1);
  EXPECT_EQ(search(sections, sections.lower_bound() * 2, NextSection::FewestChoices, 0),
            SearchEnd::Stopped);
}

TEST(ValleySearch, AnotherRunRemembersWhatFailed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<PackBlock> blocks = random_blocks(seed);
    const Sections sections = cut_into_sections(blocks, 1);
    ValleySearch search(sections, least_height(blocks) / sections.unit_bytes - 1);
    const SearchStyle style = {.rank = ranks(sections, Rank::Size, 0, 1), .max_nodes = 10'000};
    ASSERT_EQ(search.run(style, {}), SearchEnd::Impossible);
    const std::int64_t first = search.nodes();
    ASSERT_EQ(search.run(style, {}), SearchEnd::Impossible);
    ASSERT_LE(search.nodes() - first, first);
  }
}

}  // namespace
}  // namespace poet
