#include "poet/use/budget_levels.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(BudgetLevels, AreEachTheSamePartOfTheOneBefore) {
  EXPECT_EQ(budget_levels(1'000'000, 1'000, 4, 1),
            (std::vector<std::int64_t>{1'000'000, 100'000, 10'000, 1'000}));
}

TEST(BudgetLevels, KeepTheirEndsAndRoundWhatLiesBetween) {
  EXPECT_EQ(budget_levels(1'000'003, 1'001, 3, 4096),
            (std::vector<std::int64_t>{1'000'003, 28'672, 1'001}));
}

TEST(BudgetLevels, AreFewerWhereRoundingMakesTwoTheSame) {
  EXPECT_EQ(budget_levels(140, 100, 9, 64), (std::vector<std::int64_t>{140, 128, 100}));
  EXPECT_EQ(budget_levels(2, 1, 2, 64), (std::vector<std::int64_t>{2, 1}));
}

TEST(BudgetLevels, AreTakenAsFarAsThereIsRoom) {
  const std::vector<std::int64_t> levels = {400, 200, 100};
  EXPECT_EQ(level_within(levels, 1'000), 0U);
  EXPECT_EQ(level_within(levels, 400), 0U);
  EXPECT_EQ(level_within(levels, 399), 1U);
  EXPECT_EQ(level_within(levels, 100), 2U);
  EXPECT_EQ(level_within(levels, 1), 2U);
}

}  // namespace
}  // namespace poet
