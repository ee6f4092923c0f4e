#include "poet/runtime/weight_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace poet {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Decode = void (*)(const poet_weight_blocks_shape*, const std::uint8_t*, float*);

std::vector<float> decoded(Decode decode, const poet_weight_blocks_shape& shape,
                           const Bytes& blocks) {
  std::vector<float> y(static_cast<std::size_t>(shape.rows * shape.columns) + 1, -99);
  decode(&shape, blocks.data(), y.data());
  EXPECT_EQ(y.back(), -99) << "a value was written behind the last one";
  y.pop_back();
  return y;
}

// Blocks of 8 values with their scales, 0.5 and -2.
const Bytes kTwoOf8Bits = {0x00, 0x38, 1, 2, 3, 0xff, 0x80, 0x7f, 0, 8,
                           0x00, 0xc0, 1, 2, 3, 4,    5,    6,    7, 8};
const Bytes kTwoOf4Bits = {0x00, 0x38, 0x80, 0x19, 0x2a, 0xf7, 0x00, 0xc0, 0x12, 0x34, 0x56, 0x78};

TEST(DecodeBlocks, MultipliesBytesByTheScale) {
  EXPECT_EQ(decoded(poet_decode_blocks_i8, {1, 16, 8, 20}, kTwoOf8Bits),
            (std::vector<float>{0.5F, 1, 1.5F, -0.5F, -64, 63.5F, 0, 4, -2, -4, -6, -8, -10, -12,
                                -14, -16}));
}

TEST(DecodeBlocks, HasTheSecondHalfOfABlockInHighBits) {
  EXPECT_EQ(
      decoded(poet_decode_blocks_i4, {1, 16, 8, 12}, kTwoOf4Bits),
      (std::vector<float>{-4, 0.5F, 1, -0.5F, 0, -3.5F, -3, 3.5F, 12, 8, 4, 0, 14, 10, 6, 2}));
}

// Of rows of 5 values, in blocks of 8.
TEST(DecodeBlocks, EndsWithAShortBlock) {
  EXPECT_EQ(decoded(poet_decode_blocks_i8, {2, 5, 8, 10}, kTwoOf8Bits),
            (std::vector<float>{0.5F, 1, 1.5F, -0.5F, -64, -2, -4, -6, -8, -10}));
  EXPECT_EQ(decoded(poet_decode_blocks_i4, {2, 5, 8, 6}, kTwoOf4Bits),
            (std::vector<float>{-4, 0.5F, 1, -0.5F, 0, 12, 8, 4, 0, 14}));
  EXPECT_EQ(decoded(poet_decode_blocks_i4, {2, 3, 8, 6}, kTwoOf4Bits),
            (std::vector<float>{-4, 0.5F, 1, 12, 8, 4}));
}

// Every scale there is, by the definition of its bits.
TEST(DecodeBlocks, KnowsEveryScale) {
  for (std::uint32_t half = 0; half < 0x10000U; ++half) {
    const Bytes block = {static_cast<std::uint8_t>(half),
                         static_cast<std::uint8_t>(half >> 8U),
                         1,
                         0,
                         0,
                         0,
                         0,
                         0,
                         0,
                         0};
    const float found = decoded(poet_decode_blocks_i8, {1, 1, 8, 10}, block)[0];
    const int exponent = static_cast<int>(half >> 10U & 31U);
    const float fraction = static_cast<float>(half & 1023U) / 1024;
    float size =
        exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    if (exponent == 31) size = fraction == 0 ? INFINITY : NAN;
    if (std::isnan(size))
      EXPECT_TRUE(std::isnan(found)) << half;
    else
      EXPECT_EQ(found, half >= 0x8000U ? -size : size) << half;
  }
}

}  // namespace
}  // namespace poet
