#include "poet/methods/binomial.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace poet {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// The recursion that the closed form solves (Griewank 1992): advance over m steps, set a
// checkpoint, turn around what is behind it, then what is before it.
std::int64_t advances_by_recursion(std::int64_t steps, std::int64_t checkpoints) {
  if (steps == 1) return 0;
  if (checkpoints == 1) return steps * (steps - 1) / 2;
  std::int64_t least = kMost;
  for (std::int64_t m = 1; m < steps; ++m)
    least = std::min(least, m + advances_by_recursion(steps - m, checkpoints - 1) +
                                advances_by_recursion(m, checkpoints));
  return least;
}

TEST(Binomial, ReachIsTheBinomialCoefficient) {
  EXPECT_EQ(binomial_reach(3, -1, kMost), 0);
  EXPECT_EQ(binomial_reach(3, 0, kMost), 1);
  EXPECT_EQ(binomial_reach(3, 1, kMost), 4);
  EXPECT_EQ(binomial_reach(3, 2, kMost), 10);
  EXPECT_EQ(binomial_reach(3, 3, kMost), 20);
  EXPECT_EQ(binomial_reach(5, 3, kMost), 56);
  EXPECT_EQ(binomial_reach(1, 7, kMost), 8);
}

TEST(Binomial, ReachStopsAtWhatIsAskedFor) {
  EXPECT_EQ(binomial_reach(60, 60, 1'000'000), 1'000'000);
}

// Griewank and Walther's example of ten steps and three checkpoints: beta(3, 2) = 10, so no step is
// run more than twice: 2 * 10 - beta(4, 1) = 15.
TEST(Binomial, TenStepsWithThreeCheckpointsTakeFifteenAdvances) {
  EXPECT_EQ(least_advances(10, 3), 15);
}

TEST(Binomial, LeastAdvancesAreRTimesLWithoutBeta) {
  for (std::int64_t c = 1; c <= 12; ++c) {
    for (std::int64_t l = 1; l <= 300; ++l) {
      std::int64_t r = 0;
      while (binomial_reach(c, r, kMost) < l) ++r;
      EXPECT_EQ(least_advances(l, c), r * l - binomial_reach(c + 1, r - 1, kMost))
          << l << " steps, " << c << " checkpoints";
    }
  }
}

TEST(Binomial, LeastAdvancesAreThoseOfTheRecursion) {
  for (std::int64_t c = 1; c <= 5; ++c)
    for (std::int64_t l = 1; l <= 11; ++l)
      EXPECT_EQ(least_advances(l, c), advances_by_recursion(l, c)) << l << ", " << c;
}

TEST(Binomial, TheSplitIsAsGoodAsAny) {
  for (std::int64_t c = 2; c <= 9; ++c) {
    for (std::int64_t l = 2; l <= 200; ++l) {
      const std::int64_t m = binomial_split(l, c);
      ASSERT_TRUE(m >= 1 && m < l);
      EXPECT_EQ(m + least_advances(l - m, c - 1) + least_advances(m, c), least_advances(l, c))
          << l << " steps, " << c << " checkpoints, " << m;
    }
  }
}

TEST(Binomial, WithoutAnotherCheckpointTheSplitIsAtTheEnd) {
  EXPECT_EQ(binomial_split(9, 1), 8);
}

}  // namespace
}  // namespace poet
