#include "poet/exact/windows.h"

#include <gtest/gtest.h>

#include <random>

namespace poet::exact {
namespace {

// 3 x + 2 y <= 4 over 0-1 columns leaves out (1, 1) only.
TEST(Rounded, SaysThatTwoThingsDoNotFit) {
  const std::vector<Column> columns(2);
  const Inequality sum{{{0, 3}, {1, 2}}, 4};
  // Divided by 3: x + 2/3 y <= 4/3, f = 1/3, so x + (2/3 - 1/3) / (2/3) y <= 1.
  const Inequality cut = rounded(sum, columns, {false, false}, 3);
  EXPECT_EQ(cut.most, 1);
  EXPECT_EQ(cut.terms[0].second, 1);
  EXPECT_EQ(cut.terms[1].second, Number(1, 2));
  // Counted from their upper ends: 3 x' + 2 y' >= 1 becomes x' + y' >= 1.
  const Inequality other = rounded(sum, columns, {true, true}, 4);
  EXPECT_EQ(other.most, 1);
  EXPECT_EQ(other.terms[0].second, 1);
  EXPECT_EQ(other.terms[1].second, 1);
}

// No exact fraction is too near to a whole number to be one.
TEST(Rounded, MindsADifferenceThatNoDoubleHas) {
  const std::vector<Column> columns(1);
  const Number tiny =
      Number(1) / (number_of(std::int64_t{1} << 62) * number_of(std::int64_t{1} << 62));
  EXPECT_EQ(rounded({{{0, 1}}, 1 - tiny}, columns, {false}, 1).most, 0);
  EXPECT_EQ(rounded({{{0, 1}}, Number(1)}, columns, {false}, 1).most, 1);
}

// Every point of the columns that keeps the sum keeps the cut.
TEST(Rounded, CutsOffNoPoint) {
  std::mt19937_64 random(7);
  const auto draw = [&random](int range) {
    return Number(static_cast<long>(random() % range) - range / 2, 1 + random() % 7);
  };
  for (int n = 0; n < 3000; ++n) {
    std::vector<Column> columns(4);
    columns[3].whole = false;
    Inequality sum;
    for (std::int32_t c = 0; c < 4; ++c) sum.terms.emplace_back(c, draw(13));
    sum.most = draw(13);
    std::vector<bool> complemented;
    for (int c = 0; c < 4; ++c) complemented.push_back(random() % 2 == 0);
    Number divisor(1 + random() % 9, 1 + random() % 5);
    divisor.canonicalize();
    for (auto& [column, coefficient] : sum.terms) coefficient.canonicalize();
    sum.most.canonicalize();
    const Inequality cut = rounded(sum, columns, complemented, divisor);
    for (int point = 0; point < 8 * 5; ++point) {
      const Number at[] = {Number(point & 1), Number(point >> 1 & 1), Number(point >> 2 & 1),
                           Number(point / 8) / 4};
      Number here, there;
      for (int c = 0; c < 4; ++c) {
        here += sum.terms[c].second * at[c];
        there += cut.terms[c].second * at[c];
      }
      if (here <= sum.most) {
        EXPECT_LE(there, cut.most) << "case " << n << ", point " << point;
      }
    }
  }
}

}  // namespace
}  // namespace poet::exact
