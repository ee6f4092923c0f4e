/* Sine and cosine of poet/runtime/float_math.h. */
#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_math.h"

/* 2 / pi = 0.A2F9836E... in base 2^32, behind one word of zeros for angles below 1. */
static const uint32_t kTwoOverPi[10] = {0x00000000u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                        0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu,
                                        0xDEBBC561u, 0u};

/* The 32 binary digits of 2 / pi that begin at place `first` of the table. */
static uint32_t digits_from(uint32_t first) {
  const uint32_t word = first >> 5;
  const uint32_t shift = first & 31u;
  if (shift == 0) return kTwoOverPi[word];
  return (kTwoOverPi[word] << shift) | (kTwoOverPi[word + 1] >> (32u - shift));
}

/* For pi/4 <= x < infinity: x = (quarter + 4 k) pi/2 + r with |r| <= pi/4; returns r and sets
 * quarter to 0..3.
 *
 * With x = m 2^e, m of 24 bits, the digits of 2/pi worth 2^(2-e) and more make whole turns with m
 * 2^e, so that the 96 digits after them give x 2/pi modulo 4 to 70 places: 2 before the point, 62
 * of those after it are kept (Payne and Hanek, 1983). A float comes no closer than 2^-30 or so to a
 * multiple of pi/2, so r keeps all its digits. */
static float quarter_turns(float x, uint32_t* quarter) {
  const uint32_t bits = poet_bits_of(x);
  const uint32_t e_plus_150 = bits >> 23;
  const uint64_t m = (bits & 0x7fffffu) | 0x800000u;
  const uint32_t first = e_plus_150 - 120u; /* digit e - 1, counted from 1, behind 32 zeros */
  const uint64_t turns = ((m * digits_from(first)) << 32) + m * digits_from(first + 32u) +
                         ((m * digits_from(first + 64u)) >> 32);
  const uint64_t nearest = (turns + ((uint64_t)1 << 61)) >> 62;
  const uint64_t rest = turns - (nearest << 62); /* negative ones in two's complement */
  *quarter = (uint32_t)nearest & 3u;
  const int64_t signed_rest =
      rest >> 63 ? -(int64_t)(~rest + 1u) : (int64_t)rest;      /* a rest is within 2^61 of zero */
  return (float)((double)signed_rest * 3.4061215800304484e-19); /* pi/2 2^-62 */
}

/* sin r for |r| <= pi/4 */
static float sine_near_zero(float r) {
  const float z = r * r;
  float p = 2.71830413e-6f;
  p = p * z - 1.98393347e-4f;
  p = p * z + 8.33332911e-3f;
  p = p * z - 0.166666672f;
  return r + r * (z * p);
}

/* cos r for |r| <= pi/4 */
static float cosine_near_zero(float r) {
  const float z = r * r;
  float p = 2.44383773e-5f;
  p = p * z - 1.38873665e-3f;
  p = p * z + 4.16666456e-2f;
  /* 1 - z/2 and what its rounding lost. */
  const float half = 0.5f * z;
  const float lead = 1.0f - half;
  return lead + (((1.0f - lead) - half) + z * z * p);
}

/* sin(r + quarter pi/2) */
static float sine_in_quarter(float r, uint32_t quarter) {
  const float value = quarter & 1u ? cosine_near_zero(r) : sine_near_zero(r);
  return quarter & 2u ? -value : value;
}

float poet_sin_f32(float x) {
  const float size = poet_magnitude(x);
  if (!(size < poet_infinity())) return poet_not_a_number();
  if (size < 2.44140625e-4f) return x;
  if (size < 0.785398163f) return sine_near_zero(x);
  uint32_t quarter;
  const float r = quarter_turns(size, &quarter);
  const float value = sine_in_quarter(r, quarter);
  return x < 0.0f ? -value : value;
}

float poet_cos_f32(float x) {
  const float size = poet_magnitude(x);
  if (!(size < poet_infinity())) return poet_not_a_number();
  if (size < 0.785398163f) return cosine_near_zero(size);
  uint32_t quarter;
  const float r = quarter_turns(size, &quarter);
  return sine_in_quarter(r, quarter + 1u);
}
