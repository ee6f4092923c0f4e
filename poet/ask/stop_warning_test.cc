#include "poet/ask/stop_warning.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet {
namespace {

Stop at(double now_s, double limit_s, double counted_s = 30) {
  Stop stop{.elapsed_s = [now_s] { return now_s; }, .limit_s = limit_s};
  stop.count(counted_s * kEffortUnitsPerSecond);
  return stop;
}

TEST(SearchWarning, SaysWhatEndedTheSearch) {
  EXPECT_EQ(search_warning(at(40, 60), {}, {}),
            "the search did what a limit of 60 s gives it to do, and left something open; a larger "
            "--time-limit-s may go further");
  EXPECT_EQ(search_warning(at(60, 60), {}, {}),
            "the time limit of 60 s ended the search before it was complete; a larger "
            "--time-limit-s goes further");
  EXPECT_EQ(search_warning(at(40, std::numeric_limits<double>::infinity()), {}, {}), std::nullopt);
}

TEST(SearchWarning, NamesTheCountThatEndedTheSearch) {
  SolveOptions options;
  options.max_iterations = 50;
  EXPECT_EQ(search_warning(at(40, 60), {.iterations = 57}, options),
            "--max-iterations 50 ended the search before it was complete; a larger one may go "
            "further");
  options = {};
  options.max_nodes = 3;
  EXPECT_EQ(search_warning(at(40, 60), {.nodes = 3}, options),
            "--max-nodes 3 ended the search before it was complete; a larger one may go further");
}

TEST(SearchWarning, PromisesNothingWhereNoLimitWasNear) {
  EXPECT_EQ(search_warning(at(0.1, 60, 0.01), {}, {}),
            "the search ended by itself, long before its limit of 60 s, and left something open: a "
            "larger --time-limit-s will hardly help");
}

TEST(StopWarning, IsSilentAboutWhatEndedByItself) {
  EXPECT_EQ(stop_warning(at(40, 60)), std::nullopt);
}

}  // namespace
}  // namespace poet
