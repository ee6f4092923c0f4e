// A float that counts what is done with it. Compiled as C++ with this in front of them, where
// `float` means it, the kernels of poet/runtime say how many FLOP they do
// (tests/operator_flop_test.cc).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

// What has been done since it was set to zeros.
struct FlopTally {
  long long arithmetic;  // + - * /, comparisons, calls of exponentials and the like
  long long signs;       // changes of signs, magnitudes
};
extern "C" FlopTally poet_flop_tally;

template <typename T>
concept PlainNumber = std::is_arithmetic_v<T>;

struct CountedFloat {
  float value;

  CountedFloat() = default;
  template <PlainNumber T>
  CountedFloat(T number) : value(static_cast<float>(number)) {}
  template <PlainNumber T>
  explicit operator T() const {
    return static_cast<T>(value);
  }
};

// Of two counted floats, or of one and a number.
#define POET_COUNTED(Result, op)                              \
  inline Result operator op(CountedFloat a, CountedFloat b) { \
    ++poet_flop_tally.arithmetic;                             \
    return a.value op b.value;                                \
  }                                                           \
  template <PlainNumber T>                                    \
  Result operator op(CountedFloat a, T b) {                   \
    return a op CountedFloat(b);                              \
  }                                                           \
  template <PlainNumber T>                                    \
  Result operator op(T a, CountedFloat b) {                   \
    return CountedFloat(a) op b;                              \
  }
POET_COUNTED(CountedFloat, +)
POET_COUNTED(CountedFloat, -)
POET_COUNTED(CountedFloat, *)
POET_COUNTED(CountedFloat, /)
POET_COUNTED(bool, <)
POET_COUNTED(bool, >)
POET_COUNTED(bool, <=)
POET_COUNTED(bool, >=)
POET_COUNTED(bool, ==)
POET_COUNTED(bool, !=)
#undef POET_COUNTED

inline CountedFloat& operator+=(CountedFloat& a, CountedFloat b) {
  return a = a + b;
}
inline CountedFloat& operator-=(CountedFloat& a, CountedFloat b) {
  return a = a - b;
}
inline CountedFloat& operator*=(CountedFloat& a, CountedFloat b) {
  return a = a * b;
}
inline CountedFloat& operator/=(CountedFloat& a, CountedFloat b) {
  return a = a / b;
}
inline CountedFloat operator-(CountedFloat a) {
  ++poet_flop_tally.signs;
  return -a.value;
}

// What is made of plain floats: elementary functions, which count as one call however they are
// made. Kernels go without vectors, as on boards.
#include "poet/runtime/vectors.h"
#undef POET_VECTORS
#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_math.h"
// The same names without C's linkage, so after float_math.h.
#include "poet/runtime/float_inline.h"

inline CountedFloat counted_call(float (*function)(float), CountedFloat x, int flop = 1) {
  poet_flop_tally.arithmetic += flop;
  return function(x.value);
}
inline CountedFloat counted_power(CountedFloat x, CountedFloat y) {
  ++poet_flop_tally.arithmetic;
  return poet_pow_f32(x.value, y.value);
}
inline CountedFloat counted_magnitude(CountedFloat x) {
  ++poet_flop_tally.signs;
  return poet_magnitude(x.value);
}
inline uint32_t counted_bits(CountedFloat x) {
  return poet_bits_of(x.value);
}

#define poet_exp_f32(x) counted_call(poet_exp_f32, x)
#define poet_expm1_f32(x) counted_call(poet_expm1_f32, x)
#define poet_log_f32(x) counted_call(poet_log_f32, x)
#define poet_log1p_f32(x) counted_call(poet_log1p_f32, x)
#define poet_sqrt_f32(x) counted_call(poet_sqrt_f32, x)
#define poet_tanh_f32(x) counted_call(poet_tanh_f32, x)
#define poet_erf_f32(x) counted_call(poet_erf_f32, x)
#define poet_sin_f32(x) counted_call(poet_sin_f32, x)
#define poet_cos_f32(x) counted_call(poet_cos_f32, x)
#define poet_pow_f32(x, y) counted_power(x, y)
// 1 / (1 + exp(-x))
#define poet_sigmoid_f32(x) counted_call(poet_sigmoid_f32, x, 3)
#define poet_exp_inline(x) counted_call(poet_exp_inline, x)
#define poet_sqrt_inline(x) counted_call(poet_sqrt_inline, x)
#define poet_tanh_inline(x) counted_call(poet_tanh_inline, x)
#define poet_erf_inline(x) counted_call(poet_erf_inline, x)
#define poet_sigmoid_inline(x) counted_call(poet_sigmoid_inline, x, 3)
#define poet_magnitude(x) counted_magnitude(x)
#define poet_bits_of(x) counted_bits(x)

#define float CountedFloat
