#include "poet/runtime/broadcast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/broadcast_cases_for_tests.h"
#include "poet/runtime/golden_test_support.h"

namespace poet {
namespace {

using Values = std::vector<float>;
using Forward = void (*)(const poet_broadcast_shape*, const float*, const float*, float*);

struct Function {
  const char* name;
  Forward forward;
  double (*truth)(double a, double b);
};

const Function kFunctions[] = {
    {"add", poet_add_forward_f32, [](double a, double b) { return a + b; }},
    {"sub", poet_sub_forward_f32, [](double a, double b) { return a - b; }},
    {"mul", poet_mul_forward_f32, [](double a, double b) { return a * b; }},
    {"div", poet_div_forward_f32, [](double a, double b) { return a / b; }},
    {"pow", poet_pow_forward_f32, [](double a, double b) { return std::pow(a, b); }},
    {"max", poet_max_forward_f32, [](double a, double b) { return std::fmax(a, b); }},
    {"min", poet_min_forward_f32, [](double a, double b) { return std::fmin(a, b); }},
};

// Between 1 and 3, where all functions are smooth.
Values operand(const Extents& extents, std::uint32_t seed) {
  Values values = arbitrary_values(volume(extents), seed);
  for (float& value : values) value += 2;
  return values;
}

class Broadcast : public ::testing::TestWithParam<BroadcastCase> {};

// Each function is rounded once, so the nearest float to the true value is the only right answer;
// pow may miss it by the last bit.
TEST_P(Broadcast, IsTheFunctionAtEveryPlace) {
  const BroadcastCase& c = GetParam();
  const Extents extents = c.y();
  const Values a = operand(c.a, 1);
  const Values b = operand(c.b, 2);
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(function.name);
    Values y(volume(extents), -99);
    const poet_broadcast_shape shape = broadcast_shape(c);
    function.forward(&shape, a.data(), b.data(), y.data());
    Values expected;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const float left = a[place_of(i, extents, broadcast_strides(c.a, extents))];
      const float right = b[place_of(i, extents, broadcast_strides(c.b, extents))];
      expected.push_back(static_cast<float>(
          function.truth(static_cast<double>(left), static_cast<double>(right))));
    }
    EXPECT_LE(relative_error(y, expected), function.forward == poet_pow_forward_f32 ? 1e-7 : 0);
  }
}

TEST_P(Broadcast, InPlaceOfAnOperandOfFullShapeGivesTheSameBits) {
  const BroadcastCase& c = GetParam();
  const poet_broadcast_shape shape = broadcast_shape(c);
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(function.name);
    Values a = operand(c.a, 1);
    Values b = operand(c.b, 2);
    Values y(volume(c.y()));
    function.forward(&shape, a.data(), b.data(), y.data());
    if (c.a == c.y()) {
      function.forward(&shape, a.data(), b.data(), a.data());
      EXPECT_EQ(a, y);
      a = operand(c.a, 1);
    }
    if (c.b == c.y()) {
      function.forward(&shape, a.data(), b.data(), b.data());
      EXPECT_EQ(b, y);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Broadcast, ::testing::ValuesIn(broadcast_cases()),
                         [](const auto& c) { return c.param.name; });

TEST(BroadcastEdges, WholeNumbersWrap) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const poet_broadcast_shape shape = {2, {2, 2, 1, 1, 1, 1, 1, 1}, {2, 1}, {0, 1}};
  const std::vector<std::int64_t> a = {kMost, -7, kLeast, 5};
  const std::vector<std::int64_t> b = {1, 3};
  std::vector<std::int64_t> y(4);
  poet_add_forward_i64(&shape, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (std::vector<std::int64_t>{kLeast, -4, kLeast + 1, 8}));
  poet_sub_forward_i64(&shape, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (std::vector<std::int64_t>{kMost - 1, -10, kMost, 2}));
  poet_mul_forward_i64(&shape, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (std::vector<std::int64_t>{kMost, -21, kLeast, 15}));
}

TEST(BroadcastEdges, MaximumAndMinimumOfNaNAreNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const poet_broadcast_shape shape = {1, {2}, {1}, {1}};
  const Values a = {nan, 1};
  const Values b = {1, nan};
  for (const Forward forward : {poet_max_forward_f32, poet_min_forward_f32}) {
    Values y(2);
    forward(&shape, a.data(), b.data(), y.data());
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_TRUE(std::isnan(y[1]));
  }
}

}  // namespace
}  // namespace poet
