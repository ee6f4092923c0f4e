#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/broadcast.h"
#include "poet/runtime/broadcast_cases_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;
using Shape = poet_broadcast_gradient_shape;

// The gradients of both operands of a function, from dy, a and b.
struct Function {
  const char* name;
  double (*truth)(double a, double b);
  std::function<void(const Shape*, const float* dy, const float* a, const float* b, float* d)> of_a;
  std::function<void(const Shape*, const float* dy, const float* a, const float* b, float* d)> of_b;
};

// The kernels of symmetric functions take the other operand as b, with b's strides.
Shape swapped(const Shape& shape) {
  Shape result = shape;
  for (int d = 0; d < 8; ++d) {
    result.a_kept_strides[d] = shape.b_kept_strides[d];
    result.a_summed_strides[d] = shape.b_summed_strides[d];
    result.b_kept_strides[d] = shape.a_kept_strides[d];
    result.b_summed_strides[d] = shape.a_summed_strides[d];
  }
  return result;
}

const std::vector<Function>& functions() {
  using F = const float*;
  static const std::vector<Function> table = {
      {"add", [](double a, double b) { return a + b; },
       [](const Shape* s, F dy, F, F, float* d) { poet_add_gradient_f32(s, dy, d); },
       [](const Shape* s, F dy, F, F, float* d) { poet_add_gradient_f32(s, dy, d); }},
      {"sub", [](double a, double b) { return a - b; },
       [](const Shape* s, F dy, F, F, float* d) { poet_add_gradient_f32(s, dy, d); },
       [](const Shape* s, F dy, F, F, float* d) { poet_sub_b_gradient_f32(s, dy, d); }},
      {"mul", [](double a, double b) { return a * b; },
       [](const Shape* s, F dy, F, F b, float* d) { poet_mul_gradient_f32(s, dy, b, d); },
       [](const Shape* s, F dy, F a, F, float* d) {
         const Shape other = swapped(*s);
         poet_mul_gradient_f32(&other, dy, a, d);
       }},
      {"div", [](double a, double b) { return a / b; },
       [](const Shape* s, F dy, F, F b, float* d) { poet_div_a_gradient_f32(s, dy, b, d); },
       [](const Shape* s, F dy, F a, F b, float* d) { poet_div_b_gradient_f32(s, dy, a, b, d); }},
      {"pow", [](double a, double b) { return std::pow(a, b); },
       [](const Shape* s, F dy, F a, F b, float* d) { poet_pow_a_gradient_f32(s, dy, a, b, d); },
       [](const Shape* s, F dy, F a, F b, float* d) { poet_pow_b_gradient_f32(s, dy, a, b, d); }},
      {"max", [](double a, double b) { return std::max(a, b); },
       [](const Shape* s, F dy, F a, F b, float* d) { poet_max_gradient_f32(s, dy, a, b, d); },
       [](const Shape* s, F dy, F a, F b, float* d) {
         const Shape other = swapped(*s);
         poet_max_gradient_f32(&other, dy, b, a, d);
       }},
      {"min", [](double a, double b) { return std::min(a, b); },
       [](const Shape* s, F dy, F a, F b, float* d) { poet_min_gradient_f32(s, dy, a, b, d); },
       [](const Shape* s, F dy, F a, F b, float* d) {
         const Shape other = swapped(*s);
         poet_min_gradient_f32(&other, dy, b, a, d);
       }},
  };
  return table;
}

Values operand(const Extents& extents, std::uint32_t seed) {
  Values values = arbitrary_values(volume(extents), seed);
  for (float& value : values) value += 2;
  return values;
}

Doubles broadcast(const BroadcastCase& c, const Doubles& a, const Doubles& b,
                  double (*truth)(double, double)) {
  const Extents extents = c.y();
  Doubles y;
  for (std::size_t i = 0; i < volume(extents); ++i) {
    y.push_back(truth(a[place_of(i, extents, broadcast_strides(c.a, extents))],
                      b[place_of(i, extents, broadcast_strides(c.b, extents))]));
  }
  return y;
}

class BroadcastGradient : public ::testing::TestWithParam<BroadcastCase> {
 protected:
  const BroadcastCase& c = GetParam();
  // A long row would take a central difference for each of its elements.
  bool is_long() const { return volume(c.y()) > 2000; }
  Values a = operand(c.a, 1);
  Values b = operand(c.b, 2);
  Values dy = arbitrary_values(volume(c.y()), 3);
};

TEST_P(BroadcastGradient, OfTheFirstOperandIsTheSumOfSlopes) {
  if (is_long()) return;
  for (const Function& function : functions()) {
    const Shape shape = gradient_shape(c, c.a);
    Values d(a.size(), -99);
    function.of_a(&shape, dy.data(), a.data(), b.data(), d.data());
    const auto f = [&](const Doubles& place) {
      return broadcast(c, place, as_doubles(b), function.truth);
    };
    EXPECT_LE(relative_error(d, numeric_gradient(f, a, dy)), 3e-6) << function.name;
  }
}

TEST_P(BroadcastGradient, OfTheSecondOperandIsTheSumOfSlopes) {
  if (is_long()) return;
  for (const Function& function : functions()) {
    const Shape shape = gradient_shape(c, c.b);
    Values d(b.size(), -99);
    function.of_b(&shape, dy.data(), a.data(), b.data(), d.data());
    const auto f = [&](const Doubles& place) {
      return broadcast(c, as_doubles(a), place, function.truth);
    };
    EXPECT_LE(relative_error(d, numeric_gradient(f, b, dy)), 3e-6) << function.name;
  }
}

// The order of the header, to the bit: whichever loop the kernel makes the inner one.
TEST_P(BroadcastGradient, AddsInRowMajorOrderFromTheFirstTerm) {
  for (const Extents& own : {c.a, c.b}) {
    const Shape shape = gradient_shape(c, own);
    Values d(volume(own), -99);
    poet_add_gradient_f32(&shape, dy.data(), d.data());
    std::vector<Values> terms(d.size());
    for (std::size_t i = 0; i < dy.size(); ++i)
      terms[static_cast<std::size_t>(place_of(i, c.y(), broadcast_strides(own, c.y())))].push_back(
          dy[i]);
    for (std::size_t k = 0; k < d.size(); ++k) {
      float sum = terms[k].front();
      for (std::size_t i = 1; i < terms[k].size(); ++i) sum += terms[k][i];
      ASSERT_EQ(d[k], sum) << k;
    }
  }
}

TEST_P(BroadcastGradient, InPlaceOfDyGivesTheSameBitsWhereNothingIsSummed) {
  if (c.a != c.y()) return;
  for (const Function& function : functions()) {
    const Shape shape = gradient_shape(c, c.a);
    Values d(a.size());
    function.of_a(&shape, dy.data(), a.data(), b.data(), d.data());
    Values both = dy;
    function.of_a(&shape, both.data(), a.data(), b.data(), both.data());
    EXPECT_EQ(both, d) << function.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BroadcastGradient, ::testing::ValuesIn(broadcast_cases()),
                         [](const auto& c) { return c.param.name; });

TEST(BroadcastGradientEdges, EqualOperandsOfAMaximumShareTheGradient) {
  const BroadcastCase c = {"", {2}, {2}};
  const Shape shape = gradient_shape(c, c.a);
  const Values same = {1, 2};
  const Values dy = {3, 5};
  Values d(2);
  poet_max_gradient_f32(&shape, dy.data(), same.data(), same.data(), d.data());
  EXPECT_EQ(d, (Values{1.5F, 2.5F}));
  poet_min_gradient_f32(&shape, dy.data(), same.data(), same.data(), d.data());
  EXPECT_EQ(d, (Values{1.5F, 2.5F}));
}

TEST(BroadcastGradientEdges, PowersOfZeroAndZerothPowersHaveNoSlope) {
  const BroadcastCase c = {"", {2}, {2}};
  const Shape shape = gradient_shape(c, c.a);
  const Values dy = {3, 5};
  const Values zero = {0, 0};
  const Values two = {2, 2};
  Values d(2);
  poet_pow_a_gradient_f32(&shape, dy.data(), zero.data(), zero.data(), d.data());
  EXPECT_EQ(d, (Values{0, 0}));
  poet_pow_b_gradient_f32(&shape, dy.data(), zero.data(), two.data(), d.data());
  EXPECT_EQ(d, (Values{0, 0}));
}

TEST(BroadcastGradientEdges, AgreesWithPyTorch) {
  const std::vector<GoldenCase> goldens = read_goldens("broadcast");
  ASSERT_EQ(goldens.size(), functions().size())
      << "functions() and tools/kernel_goldens/broadcast.py have a line each for the same";
  for (const Function& function : functions()) {
    for (const GoldenCase& golden : goldens) {
      if (golden.name != function.name) continue;
      const BroadcastCase c = {"", {2, 3, 4}, {1, 3, 1}};
      Values da(24);
      Values db(3);
      const Shape of_a = gradient_shape(c, c.a);
      const Shape of_b = gradient_shape(c, c.b);
      const Values dy = golden.floats("dy");
      const Values a = golden.floats("a");
      const Values b = golden.floats("b");
      function.of_a(&of_a, dy.data(), a.data(), b.data(), da.data());
      function.of_b(&of_b, dy.data(), a.data(), b.data(), db.data());
      EXPECT_LE(relative_error(da, golden.floats("da")), 1e-6) << function.name;
      EXPECT_LE(relative_error(db, golden.floats("db")), 1e-6) << function.name;
    }
  }
}

}  // namespace
}  // namespace poet
