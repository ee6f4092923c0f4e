#include "poet/runtime/float_math.h"

#include "poet/runtime/float_bits.h"

/* log 2 in two parts; the first has 9 bits, so its product with a whole number below 2^15 is exact.
 */
#define LOG2_HIGH 0.693359375f
#define LOG2_LOW (-2.12194440e-4f)
#define ONE_OVER_LOG2 1.44269504f

/* The whole number nearest to x, for |x| < 2^22. */
static int32_t nearest(float x) {
  return (int32_t)(x < 0.0f ? x - 0.5f : x + 0.5f);
}

/* value * 2^exponent for -252 <= exponent <= 254, rounded once: the first product is exact. */
static float scaled(float value, int32_t exponent) {
  const int32_t half = exponent / 2;
  return value * poet_power_of_two(half) * poet_power_of_two(exponent - half);
}

/* x = n log 2 + r, |r| <= log 2 / 2; returns exp(r) - 1 and sets n. */
static float reduced_expm1(float x, int32_t* n) {
  *n = nearest(x * ONE_OVER_LOG2);
  const float count = (float)*n;
  const float r = (x - count * LOG2_HIGH) - count * LOG2_LOW;
  float q = 1.39504892e-3f;
  q = q * r + 8.36888980e-3f;
  q = q * r + 4.16662060e-2f;
  q = q * r + 0.166665182f;
  q = q * r + 0.5f;
  return r + r * r * q;
}

float poet_exp_f32(float x) {
  if (x != x) return x;
  if (x > 88.73f) return poet_infinity();
  if (x < -104.0f) return 0.0f;
  int32_t n;
  const float value = reduced_expm1(x, &n);
  return scaled(1.0f + value, n);
}

float poet_expm1_f32(float x) {
  if (x != x || x == 0.0f) return x;
  if (x < -18.0f) return -1.0f;
  if (x > 20.0f) return poet_exp_f32(x);
  int32_t n;
  const float value = reduced_expm1(x, &n);
  if (n == 0) return value;
  const float power = poet_power_of_two(n);
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
  return k * LOG2_HIGH - ((half_square - (s * (half_square + series) + k * LOG2_LOW)) - f);
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
  if (x != x) return x;
  const float size = poet_magnitude(x);
  if (size < 2.44140625e-4f) return x;
  if (size < 0.55f) {
    const float z = x * x;
    float p = -5.90586057e-3f;
    p = p * z + 2.08053775e-2f;
    p = p * z - 5.37866801e-2f;
    p = p * z + 0.133319587f;
    p = p * z - 0.333332986f;
    return x + x * (z * p);
  }
  const float value = size > 10.0f ? 1.0f : 1.0f - 2.0f / (poet_exp_f32(2.0f * size) + 1.0f);
  return x < 0.0f ? -value : value;
}

float poet_sigmoid_f32(float x) {
  if (x >= 0.0f) return 1.0f / (1.0f + poet_exp_f32(-x));
  const float power = poet_exp_f32(x);
  return power / (1.0f + power);
}

/* exp(-g(x)) = 1 - erf(x) for 0.84 <= x <= 4 */
static float exponent_of_tail(float x) {
  float g = 1.98268899e-5f;
  g = g * x - 4.20035038e-4f;
  g = g * x + 4.10240144e-3f;
  g = g * x - 2.49421615e-2f;
  g = g * x + 0.108011812f;
  g = g * x + 0.633585095f;
  g = g * x + 1.12940001f;
  return g * x - 1.51407017e-4f;
}

float poet_erf_f32(float x) {
  if (x != x) return x;
  const float size = poet_magnitude(x);
  if (size < 0.84f) {
    const float z = x * x;
    float p = 8.85776681e-5f;
    p = p * z - 8.24897666e-4f;
    p = p * z + 5.20968204e-3f;
    p = p * z - 2.68626269e-2f;
    p = p * z + 0.112837493f;
    p = p * z - 0.376126379f;
    p = p * z + 0.128379166f;
    return x + x * p;
  }
  const float value = size > 3.95f ? 1.0f : 1.0f - poet_exp_f32(-exponent_of_tail(size));
  return x < 0.0f ? -value : value;
}
