#include "poet/measure/power_fit.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// Rows of so many joules each, in one part of a log and one step, a second long.
PowerRows rows_of(const std::vector<double>& joules) {
  PowerRows rows;
  rows.steps[0] = 1;
  for (std::size_t k = 0; k < joules.size(); ++k) {
    PowerRow row{.begin = static_cast<std::int64_t>(k), .end = static_cast<std::int64_t>(k) + 1};
    row.seconds[0] = 1;
    row.joules[0] = joules[k];
    rows.rows.push_back(row);
  }
  return rows;
}

TEST(FitPower, SolvesWhatHasOneAnswer) {
  // x + y = 5, x + 2 y = 7, x = 3
  const std::vector<LoggedAction> step = {{{{0, 1}, {1, 1}}}, {{{0, 1}, {1, 2}}}, {{{0, 1}}}};
  const PowerFit fit = fit_power(step, rows_of({5, 7, 3}), {{}, {}});
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.terms[0].joules.value, 3, 1e-8);
  EXPECT_NEAR(fit.terms[1].joules.value, 2, 1e-8);
  EXPECT_NEAR(fit.joules_residual_ratio, 0, 1e-8);
  EXPECT_FALSE(fit.terms[0].joules.error);
}

TEST(FitPower, IsTheLeastSumOfSquaresOfWhatIsMissed) {
  // The mean of 1, 2 and 6, of which 6 is missed by 3.
  const std::vector<LoggedAction> step = {{{{0, 1}}}, {{{0, 1}}}, {{{0, 1}}}};
  const PowerFit fit = fit_power(step, rows_of({1, 2, 6}), {{}});
  EXPECT_NEAR(fit.terms[0].joules.value, 3, 1e-9);
  EXPECT_EQ(fit.worst_row, 2);
  EXPECT_NEAR(fit.worst_row_j, 3, 1e-9);
}

TEST(FitPower, GoesNotBelowZero) {
  // Without the limit: y = -1, x = 3.
  const std::vector<LoggedAction> step = {{{{0, 1}, {1, 1}}}, {{{0, 1}}}};
  const PowerFit fit = fit_power(step, rows_of({2, 3}), {{}, {}});
  EXPECT_NEAR(fit.terms[0].joules.value, 2.5, 1e-8);
  EXPECT_EQ(fit.terms[1].joules.value, 0);
}

TEST(FitPower, JoinsNoMoreThanItMust) {
  // Operations 0 and 1 always stand together, bytes (2) have rows of their own.
  const std::vector<LoggedAction> step = {
      {{{0, 1}, {1, 1}, {2, 10}}}, {{{2, 30}}}, {{{0, 2}, {1, 2}}}};
  const PowerFit fit = fit_power(step, rows_of({14, 30, 8}), {{3}, {1}, {1, 1}});
  EXPECT_NEAR(fit.terms[0].joules.value, 3, 1e-6);
  EXPECT_NEAR(fit.terms[1].joules.value, 1, 1e-6);
  EXPECT_NEAR(fit.terms[2].joules.value, 1, 1e-6);
  EXPECT_EQ(fit.terms[0].together, 1);
  EXPECT_EQ(fit.terms[1].together, 1);
  EXPECT_TRUE(fit.terms[0].divided);
  EXPECT_EQ(fit.terms[2].together, 0);
}

TEST(FitPower, JoinsAFamilyBeforeAll) {
  // Two rows, two operations and bytes: the operations are taken for one, of equal power.
  const std::vector<LoggedAction> step = {{{{0, 1}, {2, 10}}}, {{{1, 1}, {2, 40}}}};
  const PowerFit fit = fit_power(step, rows_of({3 * 2 + 10, 1 * 2 + 40}), {{3}, {1}, {1, 1}});
  EXPECT_NEAR(fit.terms[0].joules.value, 6, 1e-6);
  EXPECT_NEAR(fit.terms[1].joules.value, 2, 1e-6);
  EXPECT_NEAR(fit.terms[2].joules.value, 1, 1e-6);
  EXPECT_EQ(fit.terms[0].together, fit.terms[1].together);
  EXPECT_NE(fit.terms[0].together, fit.terms[2].together);
  // The log alone says none of it.
  EXPECT_NE(fit.terms[2].together, 0);
  EXPECT_FALSE(fit_power(step, rows_of({16, 42}), {{3}, {}, {1, 1}}).terms[0].is_known());
}

TEST(FitPower, ErrorIsHowFarPartsLieApart) {
  std::vector<LoggedAction> step = {{{{0, 1}}}};
  PowerRows rows = rows_of({1});
  rows.steps = {1, 1, 0, 0, 0, 0, 0, 0};
  rows.rows[0].seconds = {1, 1};
  rows.rows[0].joules = {1, 3};
  const PowerFit fit = fit_power(step, rows, {{}});
  EXPECT_NEAR(fit.terms[0].joules.value, 2, 1e-9);
  ASSERT_TRUE(fit.terms[0].joules.error);
  EXPECT_NEAR(*fit.terms[0].joules.error, 1, 1e-9);  // sqrt(2) / sqrt(2)
  EXPECT_NEAR(*fit.terms[0].seconds.error, 0, 1e-12);
}

}  // namespace
}  // namespace poet
