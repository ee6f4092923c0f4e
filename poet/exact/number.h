#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <string>

namespace poet::exact {

// A rational number, as large and as fine as it needs to be. Every double is one.
using Number = mpq_class;

// The number that a finite double is.
inline Number number_of(double value) {
  return Number(value);
}
inline Number number_of(std::int64_t value) {
  static_assert(sizeof(long) == sizeof(std::int64_t));
  return Number(static_cast<long>(value));
}

// The largest whole number that is not above.
Number floor_of(const Number& value);

// What inequalities are made of is rounded to multiples of 2^-kCutBits, to the side that weakens
// them: numbers would grow from cut to cut.
inline constexpr unsigned kCutBits = 64;
// The largest multiple of 2^-bits that is not above, the smallest that is not below.
Number rounded_down(const Number& value, unsigned bits);
Number rounded_up(const Number& value, unsigned bits);

// The largest double that is not above, the smallest that is not below: what is said of a number in
// doubles never says more than the number does.
double double_below(const Number& value);
double double_above(const Number& value);

// "3/8", as both checkers write it.
std::string text_of(const Number& value);

}  // namespace poet::exact
