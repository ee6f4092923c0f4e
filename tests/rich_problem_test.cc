#include <gtest/gtest.h>

#include <cstdint>

#include "poet/problem/problem.h"
#include "support/rich_problem.h"

namespace poet::testing {
namespace {

TEST(RichProblem, IsWellFormed) {
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const Failure failure = check_problem(rich_problem(seed));
    ASSERT_FALSE(failure) << "seed " << seed << ": " << failure->message;
  }
}

TEST(RichProblem, TheSeedDecides) {
  EXPECT_EQ(rich_problem(7), rich_problem(7));
  EXPECT_NE(rich_problem(7), rich_problem(8));
}

}  // namespace
}  // namespace poet::testing
