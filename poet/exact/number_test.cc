#include "poet/exact/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace poet::exact {
namespace {

TEST(Number, IsTheDoubleAndNotTheDecimal) {
  EXPECT_EQ(text_of(number_of(0.375)), "3/8");
  EXPECT_EQ(text_of(number_of(0.1)), "3602879701896397/36028797018963968");
  EXPECT_EQ(number_of(5e-324) * number_of(std::int64_t{2}), number_of(1e-323));
}

TEST(Number, SumsWhatDoublesCannot) {
  EXPECT_EQ(number_of(1e300) + number_of(1e-300) - number_of(1e300), number_of(1e-300));
}

TEST(Number, IsRoundedToTheSideThatIsAskedFor) {
  const Number third(1, 3);
  EXPECT_EQ(rounded_down(third, 2), Number(1, 4));
  EXPECT_EQ(rounded_up(third, 2), Number(1, 2));
  EXPECT_EQ(rounded_down(-third, 2), Number(-1, 2));
  EXPECT_EQ(rounded_up(-third, 2), Number(-1, 4));
  EXPECT_EQ(rounded_down(Number(3, 4), 2), Number(3, 4));
  EXPECT_EQ(floor_of(-third), -1);
}

TEST(Number, LiesBetweenItsDoubles) {
  const Number third(1, 3);
  for (const Number& value : {third, Number(-third), number_of(0.1), Number(0)}) {
    EXPECT_LE(number_of(double_below(value)), value);
    EXPECT_GE(number_of(double_above(value)), value);
  }
  EXPECT_LT(double_below(third), double_above(third));
  EXPECT_EQ(double_below(number_of(0.1)), double_above(number_of(0.1)));
}

TEST(Number, SaysNoMoreThanADoubleCanWhereItIsLarger) {
  const double largest = std::numeric_limits<double>::max();
  const Number huge = number_of(largest) * 2;
  EXPECT_EQ(double_below(huge), largest);
  EXPECT_EQ(double_above(huge), std::numeric_limits<double>::infinity());
  EXPECT_EQ(double_below(-huge), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(double_above(number_of(5e-324) / 2), 5e-324);
  EXPECT_EQ(double_below(number_of(5e-324) / 2), 0);
}

}  // namespace
}  // namespace poet::exact
