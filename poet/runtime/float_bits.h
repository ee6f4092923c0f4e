/* A float as its 32 bits: sign, 8 bits of exponent with bias 127, 23 bits of fraction. For the
 * sources of this room. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint32_t poet_bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float poet_float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline float poet_magnitude(float value) {
  return poet_float_of(poet_bits_of(value) & 0x7fffffffu);
}

/* 2^exponent, for exponents of normal numbers: -126 to 127. */
static inline float poet_power_of_two(int32_t exponent) {
  return poet_float_of((uint32_t)(exponent + 127) << 23);
}

static inline float poet_infinity(void) {
  return poet_float_of(0x7f800000u);
}
static inline float poet_not_a_number(void) {
  return poet_float_of(0x7fc00000u);
}
