#include "poet/measure/inseparable_terms.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

using Sets = std::vector<std::int32_t>;

TEST(InseparableTerms, AreNoneWhereEachHasARow) {
  EXPECT_EQ(inseparable_terms({{{0, 2}}, {{1, 1}}, {{2, 7}}}, 3), (Sets{0, 0, 0}));
}

TEST(InseparableTerms, AreThoseThatAlwaysStandTogether) {
  EXPECT_EQ(inseparable_terms({{{0, 1}, {1, 1}}, {{2, 1}}}, 3), (Sets{1, 1, 0}));
  EXPECT_EQ(inseparable_terms({{{0, 1}, {1, 2}}, {{0, 2}, {1, 4}}}, 2), (Sets{1, 1}));
}

TEST(InseparableTerms, ComeApartByAnotherProportion) {
  EXPECT_EQ(inseparable_terms({{{0, 1}, {1, 2}}, {{0, 2}, {1, 5}}}, 2), (Sets{0, 0}));
  EXPECT_EQ(inseparable_terms({{{0, 1}, {1, 1}}, {{1, 1}, {2, 1}}, {{0, 1}, {2, 1}}}, 3),
            (Sets{0, 0, 0}));
}

TEST(InseparableTerms, SetsAreNumberedAndLeaveOthersAlone) {
  EXPECT_EQ(inseparable_terms({{{1, 1}, {3, 1}}, {{0, 5}, {2, 1}}, {{4, 3}}}, 5),
            (Sets{1, 2, 1, 2, 0}));
}

TEST(InseparableTerms, AChainOfSumsIsOneSet) {
  EXPECT_EQ(inseparable_terms({{{0, 1}, {1, 1}}, {{1, 1}, {2, 1}}}, 3), (Sets{1, 1, 1}));
}

TEST(InseparableTerms, LargeCountsAreExact) {
  EXPECT_EQ(inseparable_terms({{{0, 1}, {1, 1'000'000'007}}, {{0, 1}, {1, 1'000'000'008}}}, 2),
            (Sets{0, 0}));
}

}  // namespace
}  // namespace poet
