// Exact rational numbers (docs/model/numbers.md §4.1).
#include "poet/exact/number.h"

#include <cmath>
#include <limits>

namespace poet::exact {

Number floor_of(const Number& value) {
  mpz_class whole;
  mpz_fdiv_q(whole.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return Number(whole);
}

Number rounded_down(const Number& value, unsigned bits) {
  Number scaled;
  mpq_mul_2exp(scaled.get_mpq_t(), value.get_mpq_t(), bits);
  Number whole = floor_of(scaled);
  mpq_div_2exp(whole.get_mpq_t(), whole.get_mpq_t(), bits);
  return whole;
}

Number rounded_up(const Number& value, unsigned bits) {
  return -rounded_down(-value, bits);
}

// get_d() cuts towards 0, and says nothing sure beyond the largest double.
double double_below(const Number& value) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value >= number_of(kLargest)) return kLargest;
  if (value < number_of(-kLargest)) return -kInfinity;
  double near = value.get_d();
  while (number_of(near) > value) near = std::nextafter(near, -kInfinity);
  return near;
}

double double_above(const Number& value) {
  return 0.0 - double_below(-value);  // not -0
}

std::string text_of(const Number& value) {
  return value.get_str();
}

}  // namespace poet::exact
