#include "poet/solve/interval_packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace poet {
namespace {

TEST(FreeRoom, HasNoLeastOfNoStage) {
  const FreeRoom room({5});
  EXPECT_EQ(room.least(0, 1), 5);
  EXPECT_EQ(room.least(1, 1), std::numeric_limits<std::int64_t>::max());
}

TEST(FreeRoom, SaysWhatAListOfStagesSays) {
  std::mt19937_64 random(1);
  for (const std::size_t stages : {1U, 2U, 3U, 7U, 8U, 33U, 100U}) {
    std::vector<std::int64_t> list;
    for (std::size_t t = 0; t < stages; ++t)
      list.push_back(static_cast<std::int64_t>(random() % 1000));
    FreeRoom room(list);
    for (int n = 0; n < 400; ++n) {
      const auto begin = static_cast<std::int32_t>(random() % stages);
      const auto end = begin + static_cast<std::int32_t>(random() % (stages - begin + 1));
      const std::int64_t bytes = static_cast<std::int64_t>(random() % 200) - 100;
      room.take(begin, end, bytes);
      for (std::int32_t t = begin; t < end; ++t) list[t] -= bytes;
      const auto from = static_cast<std::int32_t>(random() % stages);
      const auto to = from + 1 + static_cast<std::int32_t>(random() % (stages - from));
      ASSERT_EQ(room.least(from, to), *std::min_element(list.begin() + from, list.begin() + to));
    }
  }
}

}  // namespace
}  // namespace poet
