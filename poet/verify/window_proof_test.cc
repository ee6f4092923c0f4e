#include "poet/verify/window_proof.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/random_cases.h"

namespace poet {
namespace {

std::vector<ProofColumn> columns(const std::vector<bool>& whole) {
  std::vector<ProofColumn> list;
  for (const bool one : whole) list.push_back({{}, 0, one});
  return list;
}

std::vector<double> dense(const ProofInequality& inequality, std::size_t count) {
  std::vector<double> coefficients(count, 0.0);
  for (const auto& [column, coefficient] : inequality.terms) coefficients[column] += coefficient;
  return coefficients;
}

double left_of(const ProofInequality& inequality, const std::vector<double>& values) {
  double sum = 0;
  for (const auto& [column, coefficient] : inequality.terms) sum += coefficient * values[column];
  return sum;
}

// 3 x + 3 y + 3 z <= 5: at most one of them.
TEST(RoundingCut, RoundsAKnapsack) {
  const Result<ProofInequality> cut = rounded(
      {{{0, 3.0}, {1, 3.0}, {2, 3.0}}, 5}, columns({true, true, true}), {false, false, false}, 3);
  ASSERT_TRUE(cut.ok());
  for (const double coefficient : dense(*cut, 3)) EXPECT_NEAR(coefficient, 1, 1e-9);
  EXPECT_NEAR(cut->most, 1, 1e-9);
}

// 5 x + 4 y <= 7 with both counted from 1 downwards: 5 x' + 4 y' >= 2, so one of them is 0.
TEST(RoundingCut, CountsFromTheUpperEnd) {
  const Result<ProofInequality> cut =
      rounded({{{0, 5.0}, {1, 4.0}}, 7}, columns({true, true}), {true, true}, 5);
  ASSERT_TRUE(cut.ok());
  EXPECT_NEAR(dense(*cut, 2)[0], 1, 1e-9);
  EXPECT_NEAR(dense(*cut, 2)[1], 1, 1e-9);
  EXPECT_NEAR(cut->most, 1, 1e-9);
}

TEST(RoundingCut, ForgetsWhatNeedNotBeWholeUnlessItHelps) {
  const Result<ProofInequality> cut =
      rounded({{{0, 2.0}, {1, 1.0}, {2, -1.0}}, 1}, columns({true, false, false}),
              {false, false, false}, 2);
  ASSERT_TRUE(cut.ok());  // x <= 0.5 + z/2, rounded: x <= z
  EXPECT_NEAR(dense(*cut, 3)[0], 1, 1e-9);
  EXPECT_EQ(dense(*cut, 3)[1], 0);
  EXPECT_NEAR(dense(*cut, 3)[2], -1, 1e-9);
  EXPECT_NEAR(cut->most, 0, 1e-9);
}

TEST(RoundingCut, RefusesADivisorThatIsNotAboveZero) {
  const auto cut = rounded({{{0, 3.0}}, 5}, columns({true}), {false}, 0);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message, "has a divisor that is not from 1e-100 to 1e100");
}

TEST(RoundingCut, RefusesWhatWouldOverflow) {
  const ProofInequality large{{{0, 1e90}, {1, -1e90}}, 1e89};
  const auto cut = rounded(large, columns({true, true}), {false, false}, 1e-90);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message, "has coefficients that are too large");
}

TEST(RoundingCut, RefusesWhatLiesJustBelowAWholeNumber) {
  const auto cut = rounded({{{0, 3.0}}, 3 - 1e-7}, columns({true}), {false}, 3);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message, "has a right-hand side that leaves nothing to round");
}

TEST(RoundingCut, SumsByColumn) {
  const ProofInequality a{{{0, 1.0}, {2, 2.0}}, 3}, b{{{2, -1.0}}, 1};
  const ProofInequality sum = sum_of({{&a, 1}, {&b, 2}}, 3);
  EXPECT_EQ(dense(sum, 3), (std::vector<double>{1, 0, 0}));
  EXPECT_NEAR(sum.most, 5, 1e-9);
  EXPECT_GT(sum.most, 5);
}

// Every point that keeps the inequality keeps the cut: all 0-1 values of four columns, and eighths
// of two that need not be whole.
TEST(RoundingCut, CutsOffNoPoint) {
  int made = 0;
  for (std::uint64_t seed = 0; seed < testing::random_cases(3000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto draw = [&random] { return static_cast<double>(random() % 33) / 4 - 4; };
    const std::vector<ProofColumn> kinds = columns({true, true, true, true, false, false});
    ProofInequality sum{{}, draw()};
    std::vector<bool> complemented;
    for (std::int32_t c = 0; c < 6; ++c) {
      sum.terms.emplace_back(c, draw());
      complemented.push_back(random() % 2 == 0);
    }
    const auto cut =
        rounded(sum, kinds, complemented, 0.5 + static_cast<double>(random() % 12) / 4);
    if (!cut.ok()) continue;
    ++made;
    for (int point = 0; point < 16 * 81; ++point) {
      std::vector<double> values;
      for (int bit = 0; bit < 4; ++bit) values.push_back(point >> bit & 1);
      values.push_back((point / 16 % 9) / 8.0);
      values.push_back((point / 144) / 8.0);
      if (left_of(sum, values) > sum.most) continue;
      ASSERT_LE(left_of(*cut, values), cut->most);
    }
  }
  EXPECT_GE(made, testing::random_cases(3000) * 2 / 3);
}

}  // namespace
}  // namespace poet
