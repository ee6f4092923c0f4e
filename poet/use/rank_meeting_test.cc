#include "poet/use/rank_meeting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace poet {
namespace {

using Ranges = std::vector<MicroBatchRange>;

TEST(Divided, ByNumberWhereAllAreAsFast) {
  EXPECT_EQ(divided(4, {1, 1}), (Ranges{{0, 2}, {2, 4}}));
  EXPECT_EQ(divided(5, {2, 2, 2}), (Ranges{{0, 2}, {2, 4}, {4, 5}}));
  EXPECT_EQ(divided(3, {0, 0, 0}), (Ranges{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(Divided, BySpeed) {
  EXPECT_EQ(divided(8, {1, 3}), (Ranges{{0, 6}, {6, 8}}));
}

TEST(Divided, GivesEachOneAtLeast) {
  EXPECT_EQ(divided(3, {1, 1000, 1}), (Ranges{{0, 1}, {1, 2}, {2, 3}}));
}

// All divisions, one by one.
double soonest_s(std::int64_t left, std::size_t rank, const std::vector<double>& micro_batch_s) {
  const auto after = static_cast<std::int64_t>(micro_batch_s.size() - rank) - 1;
  if (after == 0) return static_cast<double>(left) * micro_batch_s[rank];
  double best = -1;
  for (std::int64_t count = 1; count <= left - after; ++count) {
    const double s = std::max(static_cast<double>(count) * micro_batch_s[rank],
                              soonest_s(left - count, rank + 1, micro_batch_s));
    if (best < 0 || s < best) best = s;
  }
  return best;
}

TEST(Divided, EndsAsSoonAsAnyDivision) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<double> micro_batch_s(1 + random() % 4);
    for (double& s : micro_batch_s) s = static_cast<double>(1 + random() % 9);
    const auto micro_batches = static_cast<std::int64_t>(micro_batch_s.size() + random() % 7);
    const Ranges ranges = divided(micro_batches, micro_batch_s);
    double end_s = 0;
    std::int64_t begin = 0;
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
      EXPECT_EQ(ranges[rank].begin, begin);
      EXPECT_GE(ranges[rank].count(), 1);
      begin = ranges[rank].end;
      end_s = std::max(end_s, static_cast<double>(ranges[rank].count()) * micro_batch_s[rank]);
    }
    EXPECT_EQ(begin, micro_batches);
    EXPECT_EQ(end_s, soonest_s(micro_batches, 0, micro_batch_s));
  }
}

}  // namespace
}  // namespace poet
