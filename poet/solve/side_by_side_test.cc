#include "poet/solve/side_by_side.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace poet {
namespace {

TEST(SideBySide, DoesEachPartOnce) {
  for (const int threads : {0, 1, 2, 5}) {
    for (const std::int64_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      run_side_by_side(count, threads, [&done](std::int64_t n) { ++done[n]; });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
  }
}

// Each of two parts waits for the other: it ends only where both are under way.
TEST(SideBySide, HasSeveralPartsUnderWay) {
  std::atomic<int> begun = 0;
  run_side_by_side(2, 2, [&begun](std::int64_t) {
    ++begun;
    begun.notify_all();
    for (int seen = begun; seen < 2; seen = begun) begun.wait(seen);
  });
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace poet
