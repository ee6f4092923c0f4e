#include "poet/model/block_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "poet/model/narrow_floats.h"
#include "poet/runtime/weight_blocks.h"

namespace poet {
namespace {

constexpr WeightBlocks kBytes{.bits = 8, .values = 8};
constexpr WeightBlocks kFourBits{.bits = 4, .values = 8};

using Bytes = std::vector<std::byte>;

Bytes encoded(const WeightBlocks& blocks, const std::vector<float>& values) {
  Bytes bytes(static_cast<std::size_t>(block_bytes(blocks)), std::byte{0xAA});
  EXPECT_TRUE(encode_block(blocks, values, bytes));
  return bytes;
}

std::vector<float> values_in(const WeightBlocks& blocks, const Bytes& bytes, std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t k = 0; k < count; ++k) values.push_back(decoded_value(blocks, count, bytes, k));
  return values;
}

std::vector<float> there_and_back(const WeightBlocks& blocks, const std::vector<float>& values) {
  return values_in(blocks, encoded(blocks, values), std::ssize(values));
}

bool is_refused(const WeightBlocks& blocks, const std::vector<float>& values) {
  Bytes bytes(static_cast<std::size_t>(block_bytes(blocks)));
  return !encode_block(blocks, values, bytes);
}

TEST(EncodeBlock, KeepsWhatIsASmallWholeNumberOfScales) {
  const std::vector<float> bytes = {127, -127, 1, 0, -3, 64, 2, 100};
  EXPECT_EQ(there_and_back(kBytes, bytes), bytes);
  const std::vector<float> four_bits = {-2, 1.75F, -0.25F, 0, 0.5F, 1, -1, 0.25F};
  EXPECT_EQ(there_and_back(kFourBits, four_bits), four_bits);
}

TEST(EncodeBlock, TakesTheNearestNumber) {
  EXPECT_EQ(there_and_back(kBytes, {127, 1.25F, 1.75F, -1.25F, -1.75F, 0.25F}),
            (std::vector<float>{127, 1, 2, -1, -2, 0}));
}

// 7 scales up and down fit here, 8 down and 7 up there.
TEST(EncodeBlock, ChoosesTheScaleOfFourBitsByItsErrors) {
  EXPECT_EQ(there_and_back(kFourBits, {7, -7, 1, -1, 3, -3}),
            (std::vector<float>{7, -7, 1, -1, 3, -3}));
  EXPECT_EQ(there_and_back(kFourBits, {8, -7, 1, -1, 3, -3}),
            (std::vector<float>{8, -7, 1, -1, 3, -3}));
}

TEST(EncodeBlock, FillsAShortBlockWithZeros) {
  const Bytes bytes = encoded(kFourBits, {-8, 7});
  EXPECT_EQ(values_in(kFourBits, bytes, 8), (std::vector<float>{-8, 7, 0, 0, 0, 0, 0, 0}));
}

TEST(EncodeBlock, TakesZerosAndWhatIsNearlyZero) {
  EXPECT_EQ(there_and_back(kBytes, {0, 0, 0}), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(there_and_back(kFourBits, {1e-30F, -1e-30F}), (std::vector<float>{0, 0}));
}

TEST(EncodeBlock, RefusesWhatHasNoScale) {
  for (const WeightBlocks& blocks : {kBytes, kFourBits}) {
    EXPECT_TRUE(is_refused(blocks, {1, std::numeric_limits<float>::quiet_NaN()}));
    EXPECT_TRUE(is_refused(blocks, {1, -std::numeric_limits<float>::infinity()}));
  }
  EXPECT_FALSE(is_refused(kBytes, {65504.0F * 127}));
  EXPECT_TRUE(is_refused(kBytes, {65536.0F * 127}));
  EXPECT_FALSE(is_refused(kFourBits, {65504.0F * 7}));
  EXPECT_TRUE(is_refused(kFourBits, {65536.0F * 7}));
}

// Half a scale, which is the largest magnitude / 127 or / 7 but for rounding to 11 bits. Of 4 bits
// with 8 scales on one side a value may lie a whole scale off, where the squares say so.
TEST(EncodeBlock, StaysWithinItsBound) {
  std::mt19937 random(20261126);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    std::vector<float> values(32);
    double largest = 0;
    for (float& value : values) {
      value = std::ldexp(normal(random), round % 20 - 10);
      largest = std::max<double>(largest, std::abs(value));
    }
    for (const std::int64_t bits : {8, 4}) {
      const std::vector<float> found = there_and_back({.bits = bits, .values = 32}, values);
      const double bound = (bits == 8 ? largest / 127 / 2 : largest / 7) * (1 + 1.0 / 1024);
      double squares = 0;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const double error = std::abs(static_cast<double>(values[k]) - found[k]);
        EXPECT_LE(error, bound);
        squares += error * error;
      }
      const double step = largest / (bits == 8 ? 127 : 7);
      EXPECT_LE(squares / 32, step * step / 4 * (1 + 1.0 / 256));
    }
  }
}

// What is looked at value by value, and what a training decodes.
TEST(DecodedValue, IsWhatTheKernelMakes) {
  std::mt19937 random(7);
  for (const WeightBlocks& blocks : {WeightBlocks{8, 16}, WeightBlocks{4, 16}})
    for (const std::int64_t row : {16, 32, 37, 5}) {
      SCOPED_TRACE(std::to_string(blocks.bits) + " bits, rows of " + std::to_string(row));
      const std::int64_t row_bytes = blocks_in_row(blocks, row) * block_bytes(blocks);
      Bytes bytes(static_cast<std::size_t>(3 * row_bytes));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 120);
      std::vector<float> y(static_cast<std::size_t>(3 * row));
      const poet_weight_blocks_shape shape = {3, static_cast<std::int32_t>(row),
                                              static_cast<std::int32_t>(blocks.values),
                                              static_cast<std::int32_t>(row_bytes)};
      const auto decode = blocks.bits == 8 ? poet_decode_blocks_i8 : poet_decode_blocks_i4;
      decode(&shape, reinterpret_cast<const std::uint8_t*>(bytes.data()), y.data());
      for (std::int64_t k = 0; k < std::ssize(y); ++k)
        EXPECT_EQ(decoded_value(blocks, row, bytes, k), y[static_cast<std::size_t>(k)]);
    }
}

TEST(BlockWithoutScale, FindsInfinitiesAndWhatIsNoNumber) {
  Bytes bytes = encoded(kBytes, {1});
  const Bytes second = encoded(kBytes, {2});
  bytes.insert(bytes.end(), second.begin(), second.end());
  EXPECT_FALSE(block_without_scale(kBytes, bytes));
  bytes[11] = std::byte{0x7C};
  EXPECT_EQ(block_without_scale(kBytes, bytes), 1);
  bytes[1] = std::byte{0xFF};
  EXPECT_EQ(block_without_scale(kBytes, bytes), 0);
}

}  // namespace
}  // namespace poet
