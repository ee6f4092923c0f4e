#include "poet/api/stop_warning.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

Stop at(double now_s, double limit_s) {
  return {.token = {}, .elapsed_s = [now_s] { return now_s; }, .limit_s = limit_s};
}

TEST(ClockMayHaveShaped, IsFalseOnlyWhereNoShareCanHaveEnded) {
  EXPECT_FALSE(clock_may_have_shaped(at(0.29, 60), 0));
  EXPECT_TRUE(clock_may_have_shaped(at(0.31, 60), 0));
  EXPECT_FALSE(clock_may_have_shaped(at(10.24, 60), 10));  // of the 50 s that are left then
  EXPECT_TRUE(clock_may_have_shaped(at(10.26, 60), 10));
  EXPECT_FALSE(clock_may_have_shaped(at(1e6, std::numeric_limits<double>::infinity()), 0));
}

TEST(SearchWarning, SaysWhatTheClockDid) {
  EXPECT_EQ(search_warning(at(0.2, 60), 0), std::nullopt);
  EXPECT_EQ(search_warning(at(40, 60), 0),
            "parts of the search end at their shares of the time limit of 60 s, and one may have: "
            "another run may answer otherwise, and a larger --time-limit-s may go further");
  EXPECT_EQ(search_warning(at(60, 60), 0),
            "the time limit of 60 s ended the search before it was complete; a larger "
            "--time-limit-s goes further");
}

}  // namespace
}  // namespace poet
