#include "poet/solve/smaller_model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "poet/solve/incumbent.h"

namespace poet {
namespace {

constexpr std::int32_t x = 0, y = 1, z = 2;

// 0-1 columns x, y, z that cost 1, 2 and 4, and rows over them.
LinearModel three_columns(std::vector<LinearRow> rows) {
  LinearModel model;
  for (const double cost : {1, 2, 4}) model.add_column({.cost = cost});
  model.rows = std::move(rows);
  return model;
}

// What the columns are fixed at, by name: nothing for those that are left.
std::vector<std::optional<double>> fixed_by(const LinearModel& model) {
  const SmallerModel smaller = make_smaller(model);
  EXPECT_FALSE(smaller.infeasible);
  std::vector<std::optional<double>> fixed;
  for (std::size_t j = 0; j < smaller.places.size(); ++j)
    fixed.push_back(smaller.places[j] ? std::nullopt : std::optional(smaller.fixed[j]));
  return fixed;
}

using Fixed = std::vector<std::optional<double>>;
constexpr std::nullopt_t kFree = std::nullopt;

TEST(MakeSmaller, FixesAColumnWhoseOtherValueARowDoesNotAllow) {
  EXPECT_EQ(fixed_by(three_columns({{.lower = 1, .terms = {{x, 1}}}})), (Fixed{1, kFree, kFree}));
  EXPECT_EQ(fixed_by(three_columns({{.upper = 2, .terms = {{x, 3}, {y, 2}}}})),
            (Fixed{0, kFree, kFree}));
  EXPECT_EQ(fixed_by(three_columns({{.lower = 3, .terms = {{x, 3}, {y, 2}}}})),
            (Fixed{1, kFree, kFree}));
  EXPECT_EQ(fixed_by(three_columns({{.upper = -1, .terms = {{x, -3}, {y, 0.5}}}})),
            (Fixed{1, kFree, kFree}));
  EXPECT_EQ(fixed_by(three_columns({{.lower = -1, .terms = {{x, -3}, {y, 1}}}})),
            (Fixed{0, kFree, kFree}));
}

TEST(MakeSmaller, PassesOnWhatItFixed) {
  const LinearModel model = three_columns({{.lower = 0, .terms = {{z, 1}, {y, -1}}},
                                           {.lower = 0, .terms = {{y, 1}, {x, -1}}},
                                           {.lower = 1, .terms = {{x, 1}}}});
  const SmallerModel smaller = make_smaller(model);
  EXPECT_EQ(smaller.fixed, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(smaller.constant_cost, 7);
  EXPECT_TRUE(smaller.linear.columns.empty());
  EXPECT_TRUE(smaller.linear.rows.empty());
}

TEST(MakeSmaller, LeavesOutRowsThatCannotBind) {
  const SmallerModel smaller =
      make_smaller(three_columns({{.lower = -1, .upper = 2, .terms = {{x, 1}, {y, 1}}},
                                  {.upper = 1, .terms = {{x, 1}, {y, 1}}}}));
  ASSERT_EQ(smaller.linear.rows.size(), 1u);
  EXPECT_EQ(smaller.linear.rows[0].upper, 1);
}

// x is 1: 2 x + 3 y + z within [3, 5] says 3 y + z within [1, 3].
LinearModel x_taken() {
  return three_columns({{.lower = 3, .upper = 5, .terms = {{x, 2}, {y, 3}, {z, 1}}},
                        {.lower = 1, .terms = {{x, 1}}}});
}

TEST(MakeSmaller, TakesFixedColumnsOutOfRows) {
  const SmallerModel smaller = make_smaller(x_taken());
  EXPECT_EQ(smaller.constant_cost, 1);
  EXPECT_EQ(smaller.places, (std::vector<std::optional<std::int32_t>>{kFree, 0, 1}));
  ASSERT_EQ(smaller.linear.columns.size(), 2u);
  EXPECT_EQ(smaller.linear.columns[0].cost, 2);
  EXPECT_EQ(smaller.linear.columns[1].cost, 4);
  ASSERT_EQ(smaller.linear.rows.size(), 1u);
  const LinearRow& row = smaller.linear.rows[0];
  EXPECT_EQ(row.lower, 1);
  EXPECT_EQ(row.upper, 3);
  ASSERT_EQ(row.terms.size(), 2u);
  EXPECT_EQ(row.terms[0].column, 0);
  EXPECT_EQ(row.terms[0].coefficient, 3);
  EXPECT_EQ(row.terms[1].column, 1);
  EXPECT_EQ(row.terms[1].coefficient, 1);
}

TEST(MakeSmaller, GivesWholeSolutionsBack) {
  EXPECT_EQ(make_smaller(x_taken()).whole({0, 1}), (std::vector<double>{1, 0, 1}));
}

TEST(MakeSmaller, SeesRowsThatCannotHold) {
  EXPECT_TRUE(make_smaller(three_columns({{.lower = 3, .terms = {{x, 1}, {y, 1}}}})).infeasible);
  EXPECT_TRUE(make_smaller(three_columns({{.upper = -1, .terms = {{x, 1}, {y, 1}}}})).infeasible);
  // Neither value of x will do.
  EXPECT_TRUE(
      make_smaller(three_columns({{.lower = 1, .upper = 1, .terms = {{x, 2}}}})).infeasible);
  // Each row will do, not both.
  EXPECT_TRUE(make_smaller(
                  three_columns({{.lower = 1, .terms = {{x, 1}}}, {.upper = 0, .terms = {{x, 1}}}}))
                  .infeasible);
}

TEST(MakeSmaller, FixesOnlyColumnsOfZeroOrOne) {
  LinearModel model =
      three_columns({{.upper = 0.5, .terms = {{x, 1}}}, {.upper = 0.5, .terms = {{y, 1}}}});
  model.columns[x].kind = ColumnKind::Continuous;
  model.columns[y].upper = 2;
  EXPECT_EQ(fixed_by(model), (Fixed{kFree, kFree, kFree}));
}

TEST(MakeSmaller, TakesOutWhatBoundsFix) {
  LinearModel model = three_columns({});
  model.columns[y].lower = 1;
  EXPECT_EQ(fixed_by(model), (Fixed{kFree, 1, kFree}));
}

IntegerAnswer solved(const SmallerModel& smaller) {
  return solve_smaller(smaller, **open_backend("cbc"), {}, {}, {});
}

TEST(SolveSmaller, SpeaksOfTheWholeModel) {
  const IntegerAnswer answer = solved(make_smaller(x_taken()));
  EXPECT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, 1 + 2, 1e-6);
  EXPECT_NEAR(answer.bound, 1 + 2, 1e-6);
  EXPECT_EQ(incumbent_from(x_taken(), answer.values).values, (std::vector<double>{1, 1, 0}));
}

TEST(SolveSmaller, NeedsNoSolverForWhatIsDecided) {
  LinearModel model = three_columns({});
  for (LinearColumn& column : model.columns) column.lower = 1;
  const IntegerAnswer answer = solved(make_smaller(model));
  EXPECT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_TRUE(has_values(answer));
  EXPECT_EQ(answer.objective, 7);
  EXPECT_EQ(answer.bound, 7);
  EXPECT_EQ(answer.values, (std::vector<double>{1, 1, 1}));
  model.add_row({.upper = 2, .terms = {{x, 1}, {y, 1}, {z, 1}}});
  EXPECT_EQ(solved(make_smaller(model)).status, LinearStatus::Infeasible);
}

TEST(Unchanged, KeepsEveryColumnAndRow) {
  const SmallerModel same = unchanged(x_taken());
  EXPECT_EQ(same.linear.columns.size(), 3u);
  EXPECT_EQ(same.linear.rows.size(), 2u);
  EXPECT_EQ(same.constant_cost, 0);
  EXPECT_EQ(same.whole({1, 0, 1}), (std::vector<double>{1, 0, 1}));
  EXPECT_NEAR(solved(same).objective, 3, 1e-6);
}

// One column is fixed a pass, from the last row to the first: the last pass fixes the two that the
// first row does not allow together.
TEST(SmallerModel, SeesInTheEndThatWhatWasFixedBreaksARow) {
  constexpr int kChain = 20;
  LinearModel model;
  for (int n = 0; n < kChain + 2; ++n) model.add_column({.cost = 1});
  const int u = kChain, v = kChain + 1;
  const auto at_least = [&model](int larger, int smaller) {
    model.add_row({0, kInfinity, {{larger, 1}, {smaller, -1}}});
  };
  model.add_row({-kInfinity, 1, {{u, 1}, {v, 1}}});
  at_least(u, kChain - 2);
  at_least(v, kChain - 2);
  for (int n = kChain - 1; n > 0; --n) at_least(n, n - 1);
  model.add_row({1, kInfinity, {{0, 1}}});
  EXPECT_TRUE(make_smaller(model).infeasible);
}

}  // namespace
}  // namespace poet
