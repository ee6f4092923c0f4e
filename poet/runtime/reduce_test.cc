#include "poet/runtime/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"
#include "poet/runtime/strides_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;
using Shape = poet_reduce_shape;

struct Case {
  std::string name;
  Extents x;
  Extents reduced;  // numbers of axes
};

const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {"One", {1}, {0}},
      {"Row", {7}, {0}},
      {"Nothing", {3, 4}, {}},
      {"LastAxis", {4, 9}, {1}},
      {"FirstAxis", {9, 4}, {0}},
      {"Middle", {3, 5, 4}, {1}},
      {"PerChannel", {2, 3, 4, 5}, {0, 2, 3}},
      {"Outer", {2, 3, 4, 5}, {0, 2}},
      {"Everything", {2, 3, 4}, {0, 1, 2}},
      {"EightAxes", {2, 1, 2, 3, 1, 2, 1, 3}, {1, 3, 5, 6}},
  };
  return table;
}

Shape shape_of(const Case& c) {
  const Extents strides = dense_strides(c.x);
  Shape shape = {};
  for (std::size_t d = 0; d < c.x.size(); ++d) {
    if (std::count(c.reduced.begin(), c.reduced.end(), static_cast<std::int32_t>(d)) > 0) {
      shape.reduced_extents[shape.reduced_rank] = c.x[d];
      shape.reduced_strides[shape.reduced_rank++] = strides[d];
    } else {
      shape.kept_extents[shape.kept_rank] = c.x[d];
      shape.kept_strides[shape.kept_rank++] = strides[d];
    }
  }
  return shape;
}

// For each element of y, in order, the places of x it is made of, in order.
std::vector<std::vector<std::size_t>> groups_of(const Case& c) {
  Extents y = c.x;
  for (const std::int32_t axis : c.reduced) y[static_cast<std::size_t>(axis)] = 1;
  std::vector<std::vector<std::size_t>> groups(volume(y));
  for (std::size_t i = 0; i < volume(c.x); ++i)
    groups[static_cast<std::size_t>(place_of(i, c.x, broadcast_strides(y, c.x)))].push_back(i);
  return groups;
}

struct Function {
  const char* name;
  void (*forward)(const Shape*, const float*, float*);
  std::function<void(const Shape*, const float* x, const float* y, const float* dy, float* dx)>
      gradient;
  double (*truth)(const Doubles& x);
};

const std::vector<Function>& functions() {
  using F = const float*;
  static const std::vector<Function> table = {
      {"sum", poet_reduce_sum_forward_f32,
       [](const Shape* s, F, F, F dy, float* dx) { poet_reduce_sum_gradient_f32(s, dy, dx); },
       [](const Doubles& x) { return std::accumulate(x.begin(), x.end(), 0.0); }},
      {"mean", poet_reduce_mean_forward_f32,
       [](const Shape* s, F, F, F dy, float* dx) { poet_reduce_mean_gradient_f32(s, dy, dx); },
       [](const Doubles& x) {
         return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
       }},
      {"max", poet_reduce_max_forward_f32, poet_reduce_max_gradient_f32,
       [](const Doubles& x) { return *std::max_element(x.begin(), x.end()); }},
      {"min", poet_reduce_min_forward_f32, poet_reduce_min_gradient_f32,
       [](const Doubles& x) { return *std::min_element(x.begin(), x.end()); }},
      {"product", poet_reduce_product_forward_f32, poet_reduce_product_gradient_f32,
       [](const Doubles& x) {
         return std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<double>());
       }},
      {"sum_of_squares", poet_reduce_sum_of_squares_forward_f32,
       [](const Shape* s, F x, F, F dy, float* dx) {
         poet_reduce_sum_of_squares_gradient_f32(s, x, dy, dx);
       },
       [](const Doubles& x) { return std::inner_product(x.begin(), x.end(), x.begin(), 0.0); }},
      {"l2", poet_reduce_l2_forward_f32, poet_reduce_l2_gradient_f32,
       [](const Doubles& x) {
         return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
       }},
      {"log_sum_exp", poet_reduce_log_sum_exp_forward_f32, poet_reduce_log_sum_exp_gradient_f32,
       [](const Doubles& x) {
         double sum = 0;
         for (const double value : x) sum += std::exp(value);
         return std::log(sum);
       }},
  };
  return table;
}

Doubles reduced(const Case& c, const Doubles& x, double (*truth)(const Doubles&)) {
  Doubles y;
  for (const std::vector<std::size_t>& group : groups_of(c)) {
    Doubles elements;
    for (const std::size_t place : group) elements.push_back(x[place]);
    y.push_back(truth(elements));
  }
  return y;
}

class Reduce : public ::testing::TestWithParam<Case> {
 protected:
  const Case& c = GetParam();
  Shape shape = shape_of(c);
  std::size_t count = groups_of(c).size();
  // Away from 0, for products and norms.
  Values x = [this] {
    Values values = arbitrary_values(volume(c.x), 4);
    for (float& value : values) value += value < 0 ? -0.25F : 0.25F;
    return values;
  }();
  Values dy = arbitrary_values(count, 5);

  Values forward(const Function& function) const {
    Values y(count, -99);
    function.forward(&shape, x.data(), y.data());
    return y;
  }
};

TEST_P(Reduce, IsTheFormula) {
  for (const Function& function : functions()) {
    const Values expected = as_floats(reduced(c, as_doubles(x), function.truth));
    EXPECT_LE(relative_error(forward(function), expected), 1e-6) << function.name;
  }
}

TEST_P(Reduce, GradientIsTheSlopeAndMayBeInPlaceOfX) {
  for (const Function& function : functions()) {
    const Values y = forward(function);
    Values dx(x.size(), -99);
    function.gradient(&shape, x.data(), y.data(), dy.data(), dx.data());
    const auto f = [&](const Doubles& place) { return reduced(c, place, function.truth); };
    EXPECT_LE(relative_error(dx, numeric_gradient(f, x, dy)), 3e-6) << function.name;
    Values both = x;
    function.gradient(&shape, both.data(), y.data(), dy.data(), both.data());
    EXPECT_EQ(both, dx) << function.name;
  }
}

// The order of the header, to the bit: whichever loop the kernel makes the inner one.
TEST_P(Reduce, AddsInRowMajorOrder) {
  const Values y = forward(functions().front());
  const std::vector<std::vector<std::size_t>> groups = groups_of(c);
  for (std::size_t k = 0; k < count; ++k) {
    float sum = x[groups[k].front()];
    for (std::size_t i = 1; i < groups[k].size(); ++i) sum += x[groups[k][i]];
    EXPECT_EQ(y[k], sum) << k;
  }
}

TEST_P(Reduce, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("reduce")) {
    if (golden.name != c.name) continue;
    for (const Function& function : functions()) {
      const std::string name = function.name;
      const Values own = golden.floats("x");
      Values y(count);
      function.forward(&shape, own.data(), y.data());
      EXPECT_LE(relative_error(y, golden.floats(name)), 1e-6) << name;
      Values dx(own.size());
      function.gradient(&shape, own.data(), y.data(), golden.floats("dy").data(), dx.data());
      EXPECT_LE(relative_error(dx, golden.floats("d" + name)), 1e-6) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Reduce, ::testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

TEST(ReduceEdges, GoldenCasesAreAmongTheCases) {
  const std::vector<GoldenCase> goldens = read_goldens("reduce");
  EXPECT_EQ(goldens.size(), 4U);
  for (const GoldenCase& golden : goldens)
    EXPECT_TRUE(std::any_of(cases().begin(), cases().end(),
                            [&](const Case& c) { return c.name == golden.name; }));
}

const Shape kRowOfThree = {0, 1, {}, {3}, {}, {1}};

TEST(ReduceEdges, ProductsThroughZerosKeepTheirGradients) {
  const float dy = 2;
  Values dx(3);
  const float y = 0;
  const Values one_zero = {3, 0, 5};
  poet_reduce_product_gradient_f32(&kRowOfThree, one_zero.data(), &y, &dy, dx.data());
  EXPECT_EQ(dx, (Values{0, 30, 0}));
  const Values two_zeros = {0, 0, 5};
  poet_reduce_product_gradient_f32(&kRowOfThree, two_zeros.data(), &y, &dy, dx.data());
  EXPECT_EQ(dx, (Values{0, 0, 0}));
}

TEST(ReduceEdges, TheFirstOfEqualMaximaGetsTheGradient) {
  const Values x = {1, 7, 7};
  const float y = 7;
  const float dy = 2;
  Values dx(3);
  poet_reduce_max_gradient_f32(&kRowOfThree, x.data(), &y, &dy, dx.data());
  EXPECT_EQ(dx, (Values{0, 2, 0}));
}

TEST(ReduceEdges, NaNIsTheMaximumAndTheMinimum) {
  const Values x = {1, std::numeric_limits<float>::quiet_NaN(), 3};
  float y = 0;
  poet_reduce_max_forward_f32(&kRowOfThree, x.data(), &y);
  EXPECT_TRUE(std::isnan(y));
  poet_reduce_min_forward_f32(&kRowOfThree, x.data(), &y);
  EXPECT_TRUE(std::isnan(y));
}

TEST(ReduceEdges, LogSumExpNeitherOverflowsNorMakesNaNOfInfinities) {
  const float infinity = std::numeric_limits<float>::infinity();
  float y = 0;
  const Values large = {1000, 1000, -1000};
  poet_reduce_log_sum_exp_forward_f32(&kRowOfThree, large.data(), &y);
  EXPECT_FLOAT_EQ(y, 1000.69314718F);
  const Values none(3, -infinity);
  poet_reduce_log_sum_exp_forward_f32(&kRowOfThree, none.data(), &y);
  EXPECT_EQ(y, -infinity);
}

TEST(ReduceEdges, NormOfZerosHasNoGradient) {
  const Values x(3, 0);
  const float y = 0;
  const float dy = 2;
  Values dx(3, -99);
  poet_reduce_l2_gradient_f32(&kRowOfThree, x.data(), &y, &dy, dx.data());
  EXPECT_EQ(dx, Values(3, 0));
}

}  // namespace
}  // namespace poet
