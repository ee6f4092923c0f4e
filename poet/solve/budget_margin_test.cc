#include "poet/solve/budget_margin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "poet/solve/window_model.h"

namespace poet {
namespace {

// a and b are made, then each is read: c reads both. What is kept at stage 1 is one knapsack row.
struct Sizes {
  std::int64_t a = 0;
  std::int64_t b = 0;
};

// A model with one row on RAM: a x0 + b x1 <= limit, as a model of that byte unit states it.
WindowModel one_row(Sizes sizes, std::int64_t limit, double byte_unit) {
  WindowModel model;
  model.byte_unit = byte_unit;
  for (int n = 0; n < 2; ++n) model.linear.add_column({});
  model.linear.add_row({.upper = static_cast<double>(limit) / byte_unit,
                        .terms = {{0, static_cast<double>(sizes.a) / byte_unit},
                                  {1, static_cast<double>(sizes.b) / byte_unit}}});
  model.row_names.push_back({WindowRowKind::Memory, {1}});
  return model;
}

TEST(BudgetMargin, WidensRowsByAPartOfTheLargestCoefficient) {
  WindowModel model = one_row({1'000'000'000, 7}, 1'000'000'000, 1e6);
  add_margins(model);
  EXPECT_DOUBLE_EQ(model.linear.rows[0].upper, 1000 + 1e-3);
}

TEST(BudgetMargin, LeavesRowsThatAreNotOnABudget) {
  WindowModel model = one_row({5, 7}, 11, 1);
  model.row_names[0] = {WindowRowKind::Need, {0, 0}};
  add_margins(model);
  EXPECT_EQ(model.linear.rows[0].upper, 11);
  EXPECT_TRUE(covers_of_broken_budgets(model, {1, 1}).empty());
}

TEST(BudgetMargin, FindsTheByteThatIsTooMuch) {
  const std::int64_t large = std::int64_t{1} << 50;
  WindowModel model = one_row({large, 1}, large, static_cast<double>(large) / 1e3);
  add_margins(model);
  const std::vector<LinearRow> covers = covers_of_broken_budgets(model, {1, 1});
  ASSERT_EQ(covers.size(), 1U);
  EXPECT_EQ(covers[0].upper, 1);  // x0 + x1 <= 1
  EXPECT_EQ(covers[0].terms.size(), 2U);
  EXPECT_TRUE(covers_of_broken_budgets(model, {1, 0}).empty());
  EXPECT_TRUE(covers_of_broken_budgets(model, {0, 1}).empty());
}

TEST(BudgetMargin, ASumThatMeetsTheBudgetToTheByteIsNotBroken) {
  const std::int64_t large = (std::int64_t{1} << 50) - 3;
  WindowModel model = one_row({large, 12'345}, large + 12'345, static_cast<double>(large) / 1e3);
  add_margins(model);
  EXPECT_TRUE(covers_of_broken_budgets(model, {1, 1}).empty());
}

// Beyond what doubles count, nothing that may fit is cut off.
TEST(BudgetMargin, AtPetabytesASumThatMeetsTheBudgetIsNotBroken) {
  for (std::int64_t odd = 1; odd < 1'000; odd += 2) {
    const std::int64_t large = (std::int64_t{1} << 54) + odd, small = (std::int64_t{1} << 53) - odd;
    WindowModel model = one_row({large, small}, large + small, static_cast<double>(large) / 1e3);
    add_margins(model);
    ASSERT_TRUE(covers_of_broken_budgets(model, {1, 1}).empty()) << odd;
  }
}

TEST(BudgetMargin, LeavesOutWhatIsNotNeededToBreakTheBudget) {
  WindowModel model = one_row({100, 7}, 90, 1);
  add_margins(model);
  const std::vector<LinearRow> covers = covers_of_broken_budgets(model, {1, 1});
  ASSERT_EQ(covers.size(), 1U);
  EXPECT_EQ(covers[0].upper, 0);  // x0 <= 0
  ASSERT_EQ(covers[0].terms.size(), 1U);
  EXPECT_EQ(covers[0].terms[0].column, 0);
}

// What takes bytes off when it is 1 counts as chosen when it is 0.
TEST(BudgetMargin, KnowsColumnsThatTakeBytesOff) {
  WindowModel model = one_row({100, -30}, 80, 1);
  add_margins(model);
  EXPECT_TRUE(covers_of_broken_budgets(model, {1, 1}).empty());
  const std::vector<LinearRow> covers = covers_of_broken_budgets(model, {1, 0});
  ASSERT_EQ(covers.size(), 1U);
  EXPECT_EQ(covers[0].upper, 0);  // x0 - x1 <= 0
  EXPECT_EQ(covers[0].terms.size(), 2U);
  EXPECT_EQ(covers[0].terms[0].coefficient + covers[0].terms[1].coefficient, 0);
}

TEST(BudgetMargin, ADeadlineThatIsMetExactlyIsNotBroken) {
  WindowModel model = one_row({1, 1}, 0, 1);
  model.row_names[0] = {WindowRowKind::Deadline};
  model.linear.rows[0] = {.upper = 0.3, .terms = {{0, 0.1}, {1, 0.2}}};
  add_margins(model);
  EXPECT_TRUE(covers_of_broken_budgets(model, {1, 1}).empty());
  model.linear.rows[0].upper = 0.29999999 + 0.2e-6;
  EXPECT_EQ(covers_of_broken_budgets(model, {1, 1}).size(), 1U);
}

}  // namespace
}  // namespace poet
