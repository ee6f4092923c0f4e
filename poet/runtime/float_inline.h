/* The functions of poet/runtime/float_math.h that loops call for every element, to be inlined
 * there: without branches and without conversions, so that compilers turn such loops into vector
 * code. The sources of this room may call these or those of float_math.h: the bits are the same. */
#pragma once

#include "poet/runtime/float_bits.h"
#include "poet/runtime/vectors.h"

/* A function in two pieces: vector code makes both and chooses, and what has no vectors makes the
 * one that is wanted. */
#if defined(POET_VECTORS)
#define POET_IF_ONE_BY_ONE(condition) if (0)
#else
#define POET_IF_ONE_BY_ONE(condition) if (condition)
#endif

/* log 2 in two parts; the first has 9 bits, so its product with a whole number below 2^15 is
 * exact. */
#define POET_LOG2_HIGH 0.693359375f
#define POET_LOG2_LOW (-2.12194440e-4f)

/* x = n log 2 + r, |r| <= log 2 / 2 */
typedef struct poet_reduced {
  int32_t n;
  float r;
} poet_reduced;

/* The root, rounded to the nearest. POET_ROOT_INSTRUCTION says that the processor has an
 * instruction for it and that the compiler need not set errno, so that no library is called;
 * poet_sqrt_f32 gives the same bits everywhere, one value after the other. */
#if defined(POET_ROOT_INSTRUCTION) && defined(__OPTIMIZE__)
static inline float poet_sqrt_inline(float x) {
  const float root = __builtin_sqrtf(x);
  return x < 0.0f ? poet_not_a_number() : root;
}
#else
float poet_sqrt_f32(float x);
static inline float poet_sqrt_inline(float x) {
  return poet_sqrt_f32(x);
}
#endif

/* For |x| < 2^21: a float from 2^23 to 2^24 is a whole number, so adding 1.5 2^23 rounds to the
 * nearest, which then stands in the lowest bits. */
static inline poet_reduced poet_reduce_by_log2(float x) {
  const float shifted = x * 1.44269504f + 12582912.0f;
  const float count = shifted - 12582912.0f;
  const poet_reduced reduced = {(int32_t)(poet_bits_of(shifted) - 0x4b400000u),
                                (x - count * POET_LOG2_HIGH) - count * POET_LOG2_LOW};
  return reduced;
}

/* exp(r) - 1 for |r| <= log 2 / 2 */
static inline float poet_expm1_near_zero(float r) {
  float q = 1.39504892e-3f;
  q = q * r + 8.36888980e-3f;
  q = q * r + 4.16662060e-2f;
  q = q * r + 0.166665182f;
  q = q * r + 0.5f;
  return r + r * r * q;
}

/* Beyond 89 the result overflows, below -104 it is 0: there the limits give the same. A NaN passes
 * them, and what is made of its n does not matter, as r is NaN. */
static inline float poet_exp_inline(float x) {
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  const poet_reduced reduced = poet_reduce_by_log2(x);
  /* 2^n in two factors, -76 <= n / 2 <= 65: the first product is exact, so that the result is
   * rounded once. */
  const uint32_t half = (uint32_t)(reduced.n + 256) >> 1; /* n / 2 + 128 */
  const float low = poet_float_of((half - 1u) << 23);
  const float high = poet_float_of(((uint32_t)(reduced.n + 255) - half) << 23);
  return (1.0f + poet_expm1_near_zero(reduced.r)) * low * high;
}

static inline float poet_sigmoid_inline(float x) {
  const float power = poet_exp_inline(-poet_magnitude(x));
  return (x < 0.0f ? power : 1.0f) / (1.0f + power);
}

static inline float poet_tanh_inline(float x) {
  const float size = poet_magnitude(x);
  const float z = x * x;
  float p = -5.90586057e-3f;
  p = p * z + 2.08053775e-2f;
  p = p * z - 5.37866801e-2f;
  p = p * z + 0.133319587f;
  p = p * z - 0.333332986f;
  POET_IF_ONE_BY_ONE(size < 0.55f) return size < 2.44140625e-4f ? x : x + x * (z * p);
  const float tail = 1.0f - 2.0f / (poet_exp_inline(2.0f * size) + 1.0f);
  const float signed_tail = x < 0.0f ? -tail : tail;
  const float value = size < 0.55f ? x + x * (z * p) : signed_tail;
  return size < 2.44140625e-4f ? x : value;
}

/* exp(-g(x)) = 1 - erf(x) for 0.84 <= x <= 4 */
static inline float poet_exponent_of_erf_tail(float x) {
  float g = 1.98268899e-5f;
  g = g * x - 4.20035038e-4f;
  g = g * x + 4.10240144e-3f;
  g = g * x - 2.49421615e-2f;
  g = g * x + 0.108011812f;
  g = g * x + 0.633585095f;
  g = g * x + 1.12940001f;
  return g * x - 1.51407017e-4f;
}

static inline float poet_erf_inline(float x) {
  const float size = poet_magnitude(x);
  const float z = x * x;
  float p = 8.85776681e-5f;
  p = p * z - 8.24897666e-4f;
  p = p * z + 5.20968204e-3f;
  p = p * z - 2.68626269e-2f;
  p = p * z + 0.112837493f;
  p = p * z - 0.376126379f;
  p = p * z + 0.128379166f;
  POET_IF_ONE_BY_ONE(size < 0.84f) return x + x * p;
  const float limited = size > 4.0f ? 4.0f : size; /* where the tail is below half a unit */
  const float tail = 1.0f - poet_exp_inline(-poet_exponent_of_erf_tail(limited));
  const float signed_tail = x < 0.0f ? -tail : tail;
  return size < 0.84f ? x + x * p : signed_tail;
}
