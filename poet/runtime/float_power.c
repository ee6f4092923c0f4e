/* poet_pow_f32 of poet/runtime/float_math.h. In double precision: y log x may be 128 times as long
 * as its error may be large. */
#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_math.h"

#define LOG2 0.69314718055994530942

/* log x for 0 < x < infinity, to about 2^-49 of its size: k log 2 + 2 atanh((m - 1) / (m + 1)). */
static double log_in_double(float x) {
  int32_t k = 0;
  if (x < 1.17549435e-38f) {
    x *= 8388608.0f;
    k = -23;
  }
  const uint32_t bits = poet_bits_of(x);
  k += (int32_t)(bits >> 23) - 127;
  double m = (double)poet_float_of((bits & 0x7fffffu) | 0x3f800000u);
  if (m > 1.4142135) {
    m *= 0.5;
    k += 1;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double series = 0.0;
  for (int32_t odd = 17; odd >= 3; odd -= 2) series = (series + 2.0 / odd) * z;
  return k * LOG2 + (2.0 * s + s * series);
}

/* exp x for |x| < 110, to about 2^-37 of its size: the power series of the rest after whole powers
 * of 2. */
static double exp_in_double(double x) {
  const int32_t n = (int32_t)(x / LOG2 + (x < 0.0 ? -0.5 : 0.5));
  const double r = x - n * LOG2;
  double value = 1.0;
  for (int32_t term = 10; term >= 1; --term) value = 1.0 + value * r / term;
  const uint64_t bits = (uint64_t)(1023 + n) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return value * power;
}

enum wholeness { NOT_WHOLE, EVEN, ODD };

static enum wholeness wholeness_of(float y) {
  const float size = poet_magnitude(y);
  if (size >= 16777216.0f) return EVEN;
  const int32_t whole = (int32_t)size;
  if ((float)whole != size) return NOT_WHOLE;
  return whole & 1 ? ODD : EVEN;
}

/* |x|^y where x is neither 0 nor infinite nor 1. */
static float power_of_magnitude(float size, float y) {
  const double exponent = (double)y * log_in_double(size);
  if (exponent > 89.0) return poet_infinity();
  if (exponent < -105.0) return 0.0f;
  return (float)exp_in_double(exponent);
}

float poet_pow_f32(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (x != x || y != y) return poet_not_a_number();
  const float size = poet_magnitude(x);
  if (poet_magnitude(y) == poet_infinity()) {
    if (size == 1.0f) return 1.0f;
    return (size > 1.0f) == (y > 0.0f) ? poet_infinity() : 0.0f;
  }
  const enum wholeness whole = wholeness_of(y);
  const int negative = poet_bits_of(x) >> 31 && whole == ODD;
  float value;
  if (size == 0.0f || size == poet_infinity())
    value = (size == 0.0f) == (y > 0.0f) ? 0.0f : poet_infinity();
  else if (x < 0.0f && whole == NOT_WHOLE)
    return poet_not_a_number();
  else
    value = size == 1.0f ? 1.0f : power_of_magnitude(size, y);
  return negative ? -value : value;
}
