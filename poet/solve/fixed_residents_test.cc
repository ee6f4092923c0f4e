#include "poet/solve/fixed_residents.h"

#include <gtest/gtest.h>

#include <vector>

namespace poet {
namespace {

// A weight (0) that a (1) is made from, and that its new value (2) is made from and a.
Problem trained() {
  Problem problem;
  problem.tensors = {{.size_bytes = 4,
                      .home = Home::Storage,
                      .may_be_resident = true,
                      .page_in_j = 1,
                      .page_out_j = 1},
                     {.size_bytes = 3, .page_in_j = 1, .page_out_j = 1},
                     {.size_bytes = 4, .updates = TensorId{0}, .page_in_j = 1, .page_out_j = 2}};
  problem.operations = {{.inputs = {TensorId{0}}, .outputs = {TensorId{1}}, .compute_j = 1},
                        {.inputs = {TensorId{0}, TensorId{1}},
                         .outputs = {TensorId{2}},
                         .compute_j = 1,
                         .once = true,
                         .in_place = InPlace{TensorId{0}, TensorId{2}}}};
  problem.ram_budget_bytes = 7;
  problem.time_mode = TimeMode::Free;
  return problem;
}

TEST(FixedResidents, TakeTheirBytesFromTheBudgetAndCostNothing) {
  const Step step = make_step(trained());
  const EventChoice choice = {.executions = {{{0, 0}}, {{1, 1}}},
                              .stored = std::vector<bool>(3),
                              .resident = {true, false, false}};
  ASSERT_TRUE(keeps_budgets(step, figures_of(step, choice)));
  const FixedResidents fixed(step, choice.resident);
  EXPECT_EQ(fixed.step().budget_bytes, 3);
  const ChoiceFigures figures = figures_of(fixed.step(), fixed.without(choice));
  EXPECT_TRUE(keeps_budgets(fixed.step(), figures));
  EXPECT_EQ(figures.cost, 2);
  EXPECT_EQ(fixed.with(fixed.without(choice)), choice);
}

TEST(FixedResidents, ChangeNothingWhereThereAreNone) {
  const Step step = make_step(trained());
  const EventChoice choice = {.executions = {{{0, 0}, {0}}, {{1, 1}}},
                              .stored = std::vector<bool>(3),
                              .resident = std::vector<bool>(3)};
  const FixedResidents fixed(step, choice.resident);
  EXPECT_EQ(fixed.step().budget_bytes, 7);
  EXPECT_EQ(fixed.without(choice), choice);
  EXPECT_EQ(fixed.with(choice), choice);
}

}  // namespace
}  // namespace poet
