#include "poet/runtime/compare.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace poet {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const poet_broadcast_shape kFour = {1, {4}, {1}, {1}};

TEST(Compare, FloatsAreComparedAsInC) {
  const std::vector<float> a = {1, 2, 3, kNan};
  const std::vector<float> b = {2, 2, 2, kNan};
  Bytes y(4, 7);
  poet_equal_forward_f32(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{0, 1, 0, 0}));
  poet_less_forward_f32(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{1, 0, 0, 0}));
  poet_less_or_equal_forward_f32(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{1, 1, 0, 0}));
  poet_greater_forward_f32(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{0, 0, 1, 0}));
  poet_greater_or_equal_forward_f32(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{0, 1, 1, 0}));
}

TEST(Compare, WholeNumbersAreComparedInAll64Bits) {
  const std::int64_t large = std::int64_t{1} << 60;
  const std::vector<std::int64_t> a = {large, large + 1, -large, 5};
  const std::vector<std::int64_t> b = {large + 1, large, large, 5};
  Bytes y(4, 7);
  poet_equal_forward_i64(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{0, 0, 0, 1}));
  poet_less_forward_i64(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{1, 0, 1, 0}));
  poet_less_or_equal_forward_i64(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{1, 0, 1, 1}));
  poet_greater_forward_i64(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{0, 1, 0, 0}));
  poet_greater_or_equal_forward_i64(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{0, 1, 0, 1}));
}

TEST(Compare, RepeatsOperands) {
  const poet_broadcast_shape shape = {2, {2, 3}, {1, 0}, {0, 1}};
  const std::vector<float> column = {1, 2};
  const std::vector<float> row = {1, 2, 3};
  Bytes y(6, 7);
  poet_equal_forward_f32(&shape, column.data(), row.data(), y.data());
  EXPECT_EQ(y, (Bytes{1, 0, 0, 0, 1, 0}));
}

TEST(Compare, LogicReadsAnyByteButZeroAsTrueAndMayBeInPlace) {
  Bytes a = {0, 0, 2, 255};
  Bytes b = {0, 3, 0, 1};
  Bytes y(4, 7);
  poet_or_forward_u8(&kFour, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Bytes{0, 1, 1, 1}));
  poet_and_forward_u8(&kFour, a.data(), b.data(), b.data());
  EXPECT_EQ(b, (Bytes{0, 0, 0, 1}));
  const poet_not_shape four = {4};
  poet_not_forward_u8(&four, a.data(), a.data());
  EXPECT_EQ(a, (Bytes{1, 1, 0, 0}));
}

}  // namespace
}  // namespace poet
