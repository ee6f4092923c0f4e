#include "poet/runtime/cast.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace poet {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int32_t kMost32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast64 = std::numeric_limits<std::int64_t>::min();

template <class To, class From>
std::vector<To> cast(void (*kernel)(const poet_cast_shape*, const From*, To*),
                     const std::vector<From>& x) {
  std::vector<To> y(x.size());
  const poet_cast_shape shape = {static_cast<std::int32_t>(x.size())};
  kernel(&shape, x.data(), y.data());
  return y;
}

const std::vector<float> kFloats = {1.9F,        -1.9F, 2147483648.0F, -2147483648.0F, 3e9F,
                                    -2147483904, 1e30F, -kInfinity,    kNan,           -0.0F};

TEST(Cast, FloatToInt32CutsAndStaysWithin) {
  EXPECT_EQ((cast<std::int32_t, float>(poet_cast_forward_f32_to_i32, kFloats)),
            (std::vector<std::int32_t>{1, -1, kMost32, kLeast32, kMost32, kLeast32, kMost32,
                                       kLeast32, 0, 0}));
}

TEST(Cast, FloatToInt64CutsAndStaysWithin) {
  EXPECT_EQ((cast<std::int64_t, float>(poet_cast_forward_f32_to_i64, kFloats)),
            (std::vector<std::int64_t>{1, -1, 2147483648, -2147483648, 3000000000, -2147483904,
                                       kMost64, kLeast64, 0, 0}));
}

TEST(Cast, FloatToByteAndTruth) {
  const std::vector<float> x = {-3, 0.9F, 255.9F, 1e9F, kNan, 128};
  EXPECT_EQ((cast<std::uint8_t, float>(poet_cast_forward_f32_to_u8, x)),
            (std::vector<std::uint8_t>{0, 0, 255, 255, 0, 128}));
  const std::vector<float> truths = {-3, 0.0F, -0.0F, 1e-40F, kNan};
  EXPECT_EQ((cast<std::uint8_t, float>(poet_cast_forward_f32_to_bool, truths)),
            (std::vector<std::uint8_t>{1, 0, 0, 1, 1}));
}

TEST(Cast, WholeNumbersToFloatRoundToNearestEven) {
  EXPECT_EQ((cast<float, std::int32_t>(poet_cast_forward_i32_to_f32, {16777217, 16777219, -5})),
            (std::vector<float>{16777216, 16777220, -5}));
  EXPECT_EQ(
      (cast<float, std::int64_t>(poet_cast_forward_i64_to_f32, {kMost64, 16777217, kLeast64})),
      (std::vector<float>{9223372036854775808.0F, 16777216, -9223372036854775808.0F}));
  EXPECT_EQ((cast<float, std::uint8_t>(poet_cast_forward_u8_to_f32, {0, 1, 255})),
            (std::vector<float>{0, 1, 255}));
}

TEST(Cast, BetweenWholeNumbers) {
  EXPECT_EQ((cast<std::int64_t, std::int32_t>(poet_cast_forward_i32_to_i64, {kLeast32, 7})),
            (std::vector<std::int64_t>{kLeast32, 7}));
  EXPECT_EQ(
      (cast<std::int32_t, std::int64_t>(poet_cast_forward_i64_to_i32, {kMost64, -8, kLeast64})),
      (std::vector<std::int32_t>{kMost32, -8, kLeast32}));
}

TEST(Cast, InPlaceBetweenTypesOfOneSize) {
  union Word {
    float real;
    std::int32_t whole;
  };
  std::vector<Word> words(3);
  for (int i = 0; i < 3; ++i) words[i].real = 1.5F * static_cast<float>(i);
  const poet_cast_shape shape = {3};
  poet_cast_forward_f32_to_i32(&shape, &words[0].real, &words[0].whole);
  EXPECT_EQ(words[0].whole, 0);
  EXPECT_EQ(words[1].whole, 1);
  EXPECT_EQ(words[2].whole, 3);
}

}  // namespace
}  // namespace poet
