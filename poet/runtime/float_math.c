#include "poet/runtime/float_math.h"

#include "poet/runtime/float_inline.h"

float poet_exp_f32(float x) {
  return poet_exp_inline(x);
}

float poet_expm1_f32(float x) {
  if (x != x || x == 0.0f) return x;
  if (x < -18.0f) return -1.0f;
  if (x > 20.0f) return poet_exp_inline(x);
  const poet_reduced reduced = poet_reduce_by_log2(x);
  const float value = poet_expm1_near_zero(reduced.r);
  if (reduced.n == 0) return value;
  const float power = poet_power_of_two(reduced.n);
  return power * value + (power - 1.0f);
}

/* k log 2 + log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)]: with s = f / (2 + f), log(1 + f) = 2
 * atanh(s) = f - s f + 2 (s^3 / 3 + s^5 / 5 + ...), written so that the largest term, f, is added
 * last. */
static float log_of_parts(float k, float f) {
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float half_square = 0.5f * f * f;
  const float series =
      z * (0.666666667f + z * (0.4f + z * (0.285714286f + z * (0.222222222f + z * 0.181818182f))));
  return k * POET_LOG2_HIGH -
         ((half_square - (s * (half_square + series) + k * POET_LOG2_LOW)) - f);
}

float poet_log_f32(float x) {
  if (x != x) return x;
  if (x <= 0.0f) return x == 0.0f ? -poet_infinity() : poet_not_a_number();
  if (x == poet_infinity()) return x;
  int32_t k = 0;
  if (x < 1.17549435e-38f) {
    x *= 8388608.0f;
    k = -23;
  }
  const uint32_t bits = poet_bits_of(x);
  k += (int32_t)(bits >> 23) - 127;
  float fraction = poet_float_of((bits & 0x7fffffu) | 0x3f800000u);
  if (fraction > 1.41421356f) {
    fraction *= 0.5f;
    k += 1;
  }
  return log_of_parts((float)k, fraction - 1.0f);
}

float poet_log1p_f32(float x) {
  if (x != x || x == 0.0f || x == poet_infinity()) return x;
  if (x <= -1.0f) return x == -1.0f ? -poet_infinity() : poet_not_a_number();
  if (x > -0.29f && x < 0.41f) return log_of_parts(0.0f, x);
  const float sum = 1.0f + x;
  const float lost = x < 1.0f ? x - (sum - 1.0f) : 1.0f - (sum - x);
  return poet_log_f32(sum) + lost / sum;
}

/* A version in floats alone, its squares cut in halves as Dekker does, was as right but slower: 7.0
 * against 6.0 ns for an element where a loop of it made four at once. */
float poet_sqrt_f32(float x) {
  if (x != x || x == 0.0f || x == poet_infinity()) return x;
  if (x < 0.0f) return poet_not_a_number();
  int32_t half_exponent = 0;
  if (x < 1.17549435e-38f) {
    x *= 16777216.0f;
    half_exponent = -12;
  }
  /* x = square 4^half_exponent, 1 <= square < 4 */
  const uint32_t bits = poet_bits_of(x);
  const int32_t exponent = (int32_t)(bits >> 23) - 127;
  const uint32_t odd = (uint32_t)exponent & 1u;
  half_exponent += (exponent - (int32_t)odd) / 2;
  const uint32_t mantissa = (bits & 0x7fffffu) | 0x800000u;
  const float square = poet_float_of((bits & 0x7fffffu) | ((127u + odd) << 23));

  /* Newton's steps for 1 / sqrt from a guess that halves the exponent; each doubles the number of
   * right digits. */
  const float half = 0.5f * square;
  float inverse = poet_float_of(0x5f375a86u - (poet_bits_of(square) >> 1));
  inverse = inverse * (1.5f - half * inverse * inverse);
  inverse = inverse * (1.5f - half * inverse * inverse);
  inverse = inverse * (1.5f - half * inverse * inverse);

  /* The root has 24 bits: root is right when (root - 1/2)^2 < target < (root + 1/2)^2, and target,
   * being whole, is never equal to either. */
  const uint64_t target = (uint64_t)mantissa << (23 + odd);
  uint64_t root = (uint64_t)(square * inverse * 8388608.0f + 0.5f);
  while (root * root - root >= target) --root;
  while (root * root + root < target) ++root;
  return (float)root * poet_power_of_two(half_exponent - 23);
}

float poet_tanh_f32(float x) {
  return poet_tanh_inline(x);
}

float poet_sigmoid_f32(float x) {
  return poet_sigmoid_inline(x);
}

float poet_erf_f32(float x) {
  return poet_erf_inline(x);
}
