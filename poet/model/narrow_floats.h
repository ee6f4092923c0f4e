#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

// Floats of 16 bits, as files have them; POET calculates with float32, which holds each exactly.

namespace poet {

inline float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// 1 bit of sign, 5 of exponent, 10 of mantissa.
inline float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0) {
    const float size = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -size : size;
  }
  const std::uint32_t biased = exponent == 0x1F ? 0xFFU : exponent + (127 - 15);
  return std::bit_cast<float>(sign | biased << 23 | mantissa << 13);
}

// To the nearest, halves to even.
inline std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

inline std::uint16_t to_float16(float value) {
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000U;
  const float size = std::abs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  // Below 2^-14 values lie 2^-24 apart; nearbyint() rounds halves to even.
  if (size < 0x1p-14F)
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 24))));
  const auto bits = std::bit_cast<std::uint32_t>(size);
  const std::uint32_t rounded = bits + 0xFFFU + ((bits >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - ((127U - 15U) << 10)));
}

}  // namespace poet
