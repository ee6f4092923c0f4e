#include "poet/runtime/float_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

// The distance from `value` to the true result, in units in the last place of a float of its size.
double ulps(float value, double truth) {
  if (std::isnan(truth)) return std::isnan(value) ? 0 : 1e9;
  if (std::abs(truth) >= std::ldexp(1.0 - std::ldexp(1.0, -25), 128))
    return value == std::copysign(kInfinity, truth) ? 0 : 1e9;
  if (truth == 0) return value == 0 ? 0 : 1e9;
  const int exponent = std::max(std::ilogb(truth), -126);
  return std::abs(static_cast<double>(value) - truth) / std::ldexp(1.0, exponent - 23);
}

// The largest error over every `stride`-th float of both signs.
double largest_error(float (*function)(float), double (*truth)(double),
                     std::uint32_t stride = 601) {
  double largest = 0;
  for (std::uint64_t bits = 0; bits < 0x1'0000'0000ULL; bits += stride) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    largest = std::max(largest, ulps(function(x), truth(static_cast<double>(x))));
  }
  return largest;
}

TEST(FloatMath, SquareRootIsTheHardwaresForASampleOfEveryExponent) {
  for (std::uint64_t bits = 0; bits < 0x8000'0000ULL; bits += 211) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const float expected = std::sqrt(x);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(poet_sqrt_f32(x)));
    } else {
      ASSERT_EQ(poet_sqrt_f32(x), expected) << x;
    }
  }
}

TEST(FloatMath, SquareRootIsTheHardwaresForEveryMantissaOfTwoExponents) {
  for (std::uint32_t bits = 0x3f800000; bits < 0x40800000; ++bits) {
    const float x = std::bit_cast<float>(bits);
    ASSERT_EQ(poet_sqrt_f32(x), std::sqrt(x)) << x;
  }
}

TEST(FloatMath, SquareRootOfTheEdges) {
  EXPECT_EQ(poet_sqrt_f32(kSmallest), std::sqrt(kSmallest));
  EXPECT_TRUE(std::signbit(poet_sqrt_f32(-0.0f)));
  EXPECT_EQ(poet_sqrt_f32(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(poet_sqrt_f32(-1.0f)));
  EXPECT_TRUE(std::isnan(poet_sqrt_f32(kNan)));
}

// The bounds that the header states.
TEST(FloatMath, ExpIsWithinOneUnit) {
  EXPECT_LE(largest_error(poet_exp_f32, std::exp), 1.0);
}
TEST(FloatMath, Expm1IsWithinTwoUnits) {
  EXPECT_LE(largest_error(poet_expm1_f32, std::expm1), 2.0);
}
TEST(FloatMath, LogIsWithinOneUnit) {
  EXPECT_LE(largest_error(poet_log_f32, std::log), 1.0);
}
TEST(FloatMath, Log1pIsWithinOneAndAHalfUnits) {
  EXPECT_LE(largest_error(poet_log1p_f32, std::log1p), 1.5);
}
TEST(FloatMath, TanhIsWithinOneAndAHalfUnits) {
  EXPECT_LE(largest_error(poet_tanh_f32, std::tanh), 1.5);
}
TEST(FloatMath, ErfIsWithinOneAndAHalfUnits) {
  EXPECT_LE(largest_error(poet_erf_f32, std::erf), 1.5);
}
TEST(FloatMath, SigmoidIsWithinTwoAndAHalfUnits) {
  const auto truth = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LE(largest_error(poet_sigmoid_f32, truth), 2.5);
}
TEST(FloatMath, SineIsWithinOneAndAHalfUnitsForEveryFiniteAngle) {
  EXPECT_LE(largest_error(poet_sin_f32, std::sin), 1.5);
}
TEST(FloatMath, CosineIsWithinOneAndAHalfUnitsForEveryFiniteAngle) {
  EXPECT_LE(largest_error(poet_cos_f32, std::cos), 1.5);
}
TEST(FloatMath, SineOfTheFloatsNearestToMultiplesOfAQuarterTurn) {
  // The last is the hardest single-precision argument: 2^-30 from a multiple of pi/2.
  for (const float x : {1.57079637f, 3.14159274f, 6.28318548f, 1e22f, 3.40282347e38f,
                        16367173.0f * 4.7223665e21f}) {
    EXPECT_LE(ulps(poet_sin_f32(x), std::sin(static_cast<double>(x))), 1.5) << x;
    EXPECT_LE(ulps(poet_cos_f32(x), std::cos(static_cast<double>(x))), 1.5) << x;
  }
}

TEST(FloatMath, PowIsAlmostCorrectlyRounded) {
  double largest = 0;
  for (std::uint64_t bits = 0; bits < 0x8000'0000ULL; bits += 100003) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    for (const float y :
         {2.0f, 0.5f, -1.0f, 3.0f, 1e-3f, -0.3333f, 17.25f, -126.5f, 1e5f, -3e7f, 0.999f})
      largest = std::max(largest, ulps(poet_pow_f32(x, y),
                                       std::pow(static_cast<double>(x), static_cast<double>(y))));
  }
  EXPECT_LE(largest, 0.51);
}

TEST(FloatMath, PowNearOneWithLargeExponents) {
  double largest = 0;
  for (std::uint32_t bits = 0x3f700000; bits < 0x3f900000; bits += 997)
    for (const float y : {900.0f, -900.0f, 87.3f, 1e6f})
      largest = std::max(largest, ulps(poet_pow_f32(std::bit_cast<float>(bits), y),
                                       std::pow(static_cast<double>(std::bit_cast<float>(bits)),
                                                static_cast<double>(y))));
  EXPECT_LE(largest, 0.51);
}

// Annex F leaves no choice, so the C library is the oracle.
TEST(FloatMath, PowTreatsSpecialValuesLikeTheStandard) {
  const float values[] = {0.0f,  -0.0f,     1.0f,       -1.0f,       kInfinity,    -kInfinity,
                          kNan,  2.0f,      -2.0f,      3.0f,        -3.0f,        0.5f,
                          -0.5f, kSmallest, -kSmallest, 16777217.0f, -16777215.0f, 3e38f};
  for (const float x : values) {
    for (const float y : values) {
      const float expected = std::pow(x, y);
      const float value = poet_pow_f32(x, y);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(value)) << x << " to the " << y;
      } else {
        EXPECT_EQ(value, expected) << x << " to the " << y;
        EXPECT_EQ(std::signbit(value), std::signbit(expected)) << x << " to the " << y;
      }
    }
  }
}

TEST(FloatMath, KeepsTheSignOfZero) {
  for (float (*odd)(float) :
       {poet_expm1_f32, poet_log1p_f32, poet_tanh_f32, poet_erf_f32, poet_sin_f32})
    EXPECT_TRUE(std::signbit(odd(-0.0f)));
}

TEST(FloatMath, SinesOfInfinityAreNotNumbers) {
  EXPECT_TRUE(std::isnan(poet_sin_f32(kInfinity)));
  EXPECT_TRUE(std::isnan(poet_cos_f32(-kInfinity)));
  EXPECT_TRUE(std::isnan(poet_sin_f32(kNan)));
}

}  // namespace
