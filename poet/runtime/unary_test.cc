#include "poet/runtime/unary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;
using Forward = void (*)(const poet_unary_shape*, const float*, float*);
using Gradient = void (*)(const poet_unary_shape*, const float*, const float*, float*);

// What a gradient reads beside dy.
enum class Reads { X, Y };

struct Function {
  const char* name;
  Forward forward;
  Gradient gradient;
  Reads reads;
  double (*truth)(double x, double alpha, double beta);
  float alpha = 0;
  float beta = 0;
  float shift = 0;  // inputs lie within 3 of it
};

std::ostream& operator<<(std::ostream& out, const Function& function) {
  return out << function.name << " " << function.alpha << " " << function.beta;
}

// Negation reads dy only.
void neg_gradient(const poet_unary_shape* shape, const float*, const float* dy, float* dx) {
  poet_neg_gradient_f32(shape, dy, dx);
}

double within_one(double u) {
  return std::min(std::max(u, 0.0), 1.0);
}

const std::vector<Function>& functions() {
  static const double root_2 = std::sqrt(2.0);
  static const std::vector<Function> table = {
      {"relu", poet_relu_forward_f32, poet_relu_gradient_f32, Reads::Y,
       [](double x, double, double) { return std::max(x, 0.0); }},
      {"leaky_relu", poet_leaky_relu_forward_f32, poet_leaky_relu_gradient_f32, Reads::X,
       [](double x, double a, double) { return x > 0 ? x : a * x; }, 0.125F},
      {"clip", poet_clip_forward_f32, poet_clip_gradient_f32, Reads::X,
       [](double x, double a, double b) { return std::min(std::max(x, a), b); }, -0.75F, 1.5F},
      {"elu", poet_elu_forward_f32, poet_elu_gradient_f32, Reads::X,
       [](double x, double a, double) { return x > 0 ? x : a * std::expm1(x); }, 0.75F},
      {"abs", poet_abs_forward_f32, poet_abs_gradient_f32, Reads::X,
       [](double x, double, double) { return std::abs(x); }},
      {"neg", poet_neg_forward_f32, neg_gradient, Reads::X,
       [](double x, double, double) { return -x; }},
      {"sigmoid", poet_sigmoid_forward_f32, poet_sigmoid_gradient_f32, Reads::Y,
       [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
      {"tanh", poet_tanh_forward_f32, poet_tanh_gradient_f32, Reads::Y,
       [](double x, double, double) { return std::tanh(x); }},
      {"softplus", poet_softplus_forward_f32, poet_softplus_gradient_f32, Reads::X,
       [](double x, double, double) { return std::log1p(std::exp(x)); }},
      {"silu", poet_silu_forward_f32, poet_silu_gradient_f32, Reads::X,
       [](double x, double, double) { return x / (1 + std::exp(-x)); }},
      {"hard_sigmoid", poet_hard_sigmoid_forward_f32, poet_hard_sigmoid_gradient_f32, Reads::X,
       [](double x, double a, double b) { return within_one(a * x + b); }, 0.375F, 0.5F},
      {"hard_swish", poet_hard_swish_forward_f32, poet_hard_swish_gradient_f32, Reads::X,
       [](double x, double a, double b) { return x * within_one(a * x + b); }, 0.375F, 0.5F},
      {"gelu_erf", poet_gelu_erf_forward_f32, poet_gelu_erf_gradient_f32, Reads::X,
       [](double x, double, double) { return x / 2 * (1 + std::erf(x / root_2)); }},
      {"gelu_tanh", poet_gelu_tanh_forward_f32, poet_gelu_tanh_gradient_f32, Reads::X,
       [](double x, double, double) {
         const double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
         return x / 2 * (1 + std::tanh(inner));
       }},
      {"erf", poet_erf_forward_f32, poet_erf_gradient_f32, Reads::X,
       [](double x, double, double) { return std::erf(x); }},
      {"exp", poet_exp_forward_f32, poet_exp_gradient_f32, Reads::Y,
       [](double x, double, double) { return std::exp(x); }},
      {"log", poet_log_forward_f32, poet_log_gradient_f32, Reads::X,
       [](double x, double, double) { return std::log(x); }, 0, 0, 3.5F},
      {"sqrt", poet_sqrt_forward_f32, poet_sqrt_gradient_f32, Reads::Y,
       [](double x, double, double) { return std::sqrt(x); }, 0, 0, 3.5F},
      {"reciprocal", poet_reciprocal_forward_f32, poet_reciprocal_gradient_f32, Reads::Y,
       [](double x, double, double) { return 1 / x; }, 0, 0, 3.5F},
      {"sin", poet_sin_forward_f32, poet_sin_gradient_f32, Reads::X,
       [](double x, double, double) { return std::sin(x); }},
      {"asinh", poet_asinh_forward_f32, poet_asinh_gradient_f32, Reads::X,
       [](double x, double, double) { return std::asinh(x); }},
      {"cos", poet_cos_forward_f32, poet_cos_gradient_f32, Reads::X,
       [](double x, double, double) { return std::cos(x); }},
  };
  return table;
}

class Unary : public ::testing::TestWithParam<Function> {
 protected:
  const Function& function() const { return GetParam(); }
  poet_unary_shape shape(std::int32_t count) const {
    return {count, function().alpha, function().beta};
  }
  Values inputs(std::int32_t count) const {
    Values x = arbitrary_values(count, 7);
    for (float& value : x) value = 3 * value + function().shift;
    return x;
  }
  Values forward(const Values& x) const {
    Values y(x.size(), -99);
    const poet_unary_shape s = shape(static_cast<std::int32_t>(x.size()));
    function().forward(&s, x.data(), y.data());
    return y;
  }
  Values gradient(const Values& x, const Values& dy) const {
    Values dx(x.size(), -99);
    const Values y = forward(x);
    const poet_unary_shape s = shape(static_cast<std::int32_t>(x.size()));
    function().gradient(&s, (function().reads == Reads::X ? x : y).data(), dy.data(), dx.data());
    return dx;
  }
  Doubles truth(const Doubles& x) const {
    Doubles y;
    for (const double value : x) {
      y.push_back(function().truth(value, static_cast<double>(function().alpha),
                                   static_cast<double>(function().beta)));
    }
    return y;
  }
};

// Those that are flat but for their steps, against the functions of the standard library.
TEST(UnarySteps, AreThoseOfTheStandardLibrary) {
  struct Row {
    Forward function;
    float (*truth)(float);
  };
  const Row rows[] = {
      {poet_round_forward_f32, [](float x) { return std::nearbyint(x); }},
      {poet_floor_forward_f32, [](float x) { return std::floor(x); }},
      {poet_ceil_forward_f32, [](float x) { return std::ceil(x); }},
      {poet_sign_forward_f32, [](float x) { return x > 0   ? 1.0F
                                                   : x < 0 ? -1.0F
                                                           : x; }},
  };
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  Values x = {0,       0.25F,    0.5F,          0.75F,      1,          1.5F,
              2.5F,    2.49F,    1e-40F,        4194303.5F, 8388607.5F, 8388608,
              8388609, 16777218, 2147483648.0F, 1e30F,      kInfinite};
  for (const float value : arbitrary_values(500, 5)) x.push_back(9 * value);
  const Values positive = x;
  for (const float value : positive) x.push_back(-value);
  for (const Row& row : rows) {
    Values y(x.size(), -99);
    const poet_unary_shape shape = {static_cast<std::int32_t>(x.size()), 0, 0};
    row.function(&shape, x.data(), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(y[i], row.truth(x[i])) << x[i];
      EXPECT_EQ(std::signbit(y[i]), std::signbit(row.truth(x[i]))) << x[i];
    }
    const Values none = {std::numeric_limits<float>::quiet_NaN()};
    const poet_unary_shape one = {1, 0, 0};
    row.function(&one, none.data(), y.data());
    EXPECT_TRUE(std::isnan(y[0]));
  }
}

TEST_P(Unary, ForwardIsTheFormula) {
  for (const std::int32_t count : {1, 3, 203}) {
    const Values x = inputs(count);
    EXPECT_LE(relative_error(forward(x), as_floats(truth(as_doubles(x)))), 5e-7);
  }
}

TEST_P(Unary, GradientIsTheSlope) {
  for (const std::int32_t count : {1, 3, 203}) {
    const Values x = inputs(count);
    const Values dy = arbitrary_values(count, 8);
    const auto f = [this](const Doubles& place) { return truth(place); };
    EXPECT_LE(relative_error(gradient(x, dy), numeric_gradient(f, x, dy)), 3e-6);
  }
}

TEST_P(Unary, ForwardInPlaceGivesTheSameBits) {
  const Values x = inputs(37);
  Values both = x;
  const poet_unary_shape s = shape(37);
  function().forward(&s, both.data(), both.data());
  EXPECT_EQ(both, forward(x));
}

TEST_P(Unary, GradientInPlaceOfEitherInputGivesTheSameBits) {
  const Values x = inputs(37);
  const Values dy = arbitrary_values(37, 8);
  const Values expected = gradient(x, dy);
  const Values source = function().reads == Reads::X ? x : forward(x);
  const poet_unary_shape s = shape(37);
  Values over_dy = dy;
  function().gradient(&s, source.data(), over_dy.data(), over_dy.data());
  EXPECT_EQ(over_dy, expected);
  Values over_source = source;
  function().gradient(&s, over_source.data(), dy.data(), over_source.data());
  EXPECT_EQ(over_source, expected);
}

TEST_P(Unary, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("unary")) {
    if (golden.name != function().name) continue;
    const Values x = golden.floats("x");
    const poet_unary_shape s = {static_cast<std::int32_t>(x.size()), golden.real("alpha"),
                                golden.real("beta")};
    Values y(x.size());
    function().forward(&s, x.data(), y.data());
    EXPECT_LE(relative_error(y, golden.floats("y")), 5e-7);
    Values dx(x.size());
    function().gradient(&s, (function().reads == Reads::X ? x : y).data(),
                        golden.floats("dy").data(), dx.data());
    EXPECT_LE(relative_error(dx, golden.floats("dx")), 1e-6);
    return;
  }
  FAIL() << "tests/data/kernels/unary.txt has no golden values: write a line in "
            "tools/kernel_goldens/unary.py and run tools/make_kernel_goldens.py";
}

INSTANTIATE_TEST_SUITE_P(All, Unary, ::testing::ValuesIn(functions()),
                         [](const auto& function) { return function.param.name; });

TEST(UnaryGoldens, AreEachComparedWithAFunction) {
  for (const GoldenCase& golden : read_goldens("unary"))
    EXPECT_TRUE(std::any_of(functions().begin(), functions().end(),
                            [&](const Function& function) { return golden.name == function.name; }))
        << "functions() has no line for the golden values of " << golden.name;
}

TEST(UnaryEdges, ReluAndClipLetNaNPass) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const poet_unary_shape shape = {1, -1, 1};
  float y = 0;
  poet_relu_forward_f32(&shape, &nan, &y);
  EXPECT_TRUE(std::isnan(y));
  poet_clip_forward_f32(&shape, &nan, &y);
  EXPECT_TRUE(std::isnan(y));
}

TEST(UnaryEdges, ClipGivesTheUpperBoundWhereBoundsCross) {
  const poet_unary_shape shape = {3, 5, 2};
  const Values x = {1, 3, 6};
  const Values dy = {7, 7, 7};
  Values y(3);
  Values dx(3);
  poet_clip_forward_f32(&shape, x.data(), y.data());
  EXPECT_EQ(y, (Values{2, 2, 2}));
  poet_clip_gradient_f32(&shape, x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (Values{0, 0, 0}));
}

TEST(UnaryEdges, SlopesAtTheBendsAreThoseOfPyTorch) {
  const poet_unary_shape shape = {2, 0, 1};
  const Values x = {0, 1};
  const Values dy = {5, 5};
  Values dx(2);
  poet_relu_gradient_f32(&shape, x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (Values{0, 5}));
  poet_clip_gradient_f32(&shape, x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (Values{5, 5}));
  poet_abs_gradient_f32(&shape, x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (Values{0, 5}));
}

TEST(UnaryEdges, AsinhOfLargeInputsDoesNotOverflow) {
  const Values x = {8191, 8192, 8193, 1e10F, 3e19F, 1e38F, -1e38F};
  Values y(x.size(), -99);
  const poet_unary_shape shape = {static_cast<std::int32_t>(x.size()), 0, 0};
  poet_asinh_forward_f32(&shape, x.data(), y.data());
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], std::asinh(static_cast<double>(x[i])), 5e-7 * std::abs(y[i])) << x[i];
}

TEST(UnaryEdges, SoftplusOfLargeInputsNeitherOverflowsNorLosesItsTail) {
  const poet_unary_shape shape = {2, 0, 0};
  const Values x = {200, -80};
  Values y(2);
  poet_softplus_forward_f32(&shape, x.data(), y.data());
  EXPECT_EQ(y[0], 200);
  EXPECT_NEAR(static_cast<double>(y[1]) / std::exp(-80.0), 1, 1e-6);
}

}  // namespace
}  // namespace poet
