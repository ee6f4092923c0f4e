// Layer norm and group norm are one thing, a norm of sets of values that follow each other, and
// obey the same laws.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/group_norm.h"
#include "poet/runtime/layer_norm.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

struct NormInputs {
  Values x, dy, scale, bias;
};

struct NormOutputs {
  std::vector<float> y, mean, inverse_std, dx, dscale, dbias;
};

// A kernel's pointers, any of which may be the same or null where the kernel says so.
struct NormForward {
  const float *x, *scale, *bias;
  float *y, *mean, *inverse_std;
};
struct NormGradient {
  const float *x, *scale, *mean, *inverse_std, *dy;
  float *dx, *dscale, *dbias;
};

// One shape of one norm.
struct Norm {
  std::string name = {};
  std::size_t sets = 0;
  std::size_t set_size = 0;
  std::size_t parameters = 0;                                 // of scale and bias
  std::function<std::size_t(std::size_t)> parameter_of = {};  // of each value of x
  double epsilon = 0;
  std::function<void(const NormForward&)> forward = {};
  std::function<void(const NormGradient&)> gradient = {};
};

NormInputs norm_inputs(const Norm& norm) {
  const std::size_t count = norm.sets * norm.set_size;
  return {.x = arbitrary_values(count, 1),
          .dy = arbitrary_values(count, 2),
          .scale = arbitrary_values(norm.parameters, 3),
          .bias = arbitrary_values(norm.parameters, 4)};
}

NormOutputs run_norm(const Norm& norm, const NormInputs& in) {
  NormOutputs out = {.y = Values(in.x.size()),
                     .mean = Values(norm.sets),
                     .inverse_std = Values(norm.sets),
                     .dx = Values(in.x.size()),
                     .dscale = Values(norm.parameters, 99),
                     .dbias = Values(norm.parameters, 99)};
  norm.forward({in.x.data(), in.scale.data(), in.bias.data(), out.y.data(), out.mean.data(),
                out.inverse_std.data()});
  norm.gradient({in.x.data(), in.scale.data(), out.mean.data(), out.inverse_std.data(),
                 in.dy.data(), out.dx.data(), out.dscale.data(), out.dbias.data()});
  return out;
}

Doubles normalised(const Norm& norm, const Doubles& x, const Doubles& scale, const Doubles& bias) {
  const double count = static_cast<double>(norm.set_size);
  Doubles y;
  for (std::size_t first = 0; first < x.size(); first += norm.set_size) {
    const std::size_t end = first + norm.set_size;
    double mean = 0;
    double variance = 0;
    for (std::size_t i = first; i < end; ++i) mean += x[i] / count;
    for (std::size_t i = first; i < end; ++i) variance += (x[i] - mean) * (x[i] - mean) / count;
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t p = norm.parameter_of(i);
      y.push_back((x[i] - mean) / std::sqrt(variance + norm.epsilon) * scale[p] + bias[p]);
    }
  }
  return y;
}

Norm norm_of(const poet_layer_norm_shape& s) {
  const auto features = static_cast<std::size_t>(s.features);
  return {.name = "layer_" + std::to_string(s.rows) + "_by_" + std::to_string(s.features),
          .sets = static_cast<std::size_t>(s.rows),
          .set_size = features,
          .parameters = features,
          .parameter_of = [features](std::size_t i) { return i % features; },
          .epsilon = s.epsilon,
          .forward =
              [s](const NormForward& p) {
                poet_layer_norm_forward_f32(&s, p.x, p.scale, p.bias, p.y, p.mean, p.inverse_std);
              },
          .gradient =
              [s](const NormGradient& p) {
                poet_layer_norm_gradient_f32(&s, p.x, p.scale, p.mean, p.inverse_std, p.dy, p.dx,
                                             p.dscale, p.dbias);
              }};
}

// rows, features, epsilon; more than one block of features
const poet_layer_norm_shape kLayerShapes[] = {
    {3, 5, 1e-5F}, {1, 1, 0.1F}, {4, 16, 1e-3F}, {2, 300, 1e-5F}};

Norm norm_of(const poet_group_norm_shape& s) {
  const auto channels = static_cast<std::size_t>(s.channels);
  const auto pixels = static_cast<std::size_t>(s.pixels);
  return {.name = "group_" + std::to_string(s.groups) + "_of_" + std::to_string(s.channels),
          .sets = static_cast<std::size_t>(s.batch) * s.groups,
          .set_size = channels / s.groups * pixels,
          .parameters = channels,
          .parameter_of = [channels, pixels](std::size_t i) { return i / pixels % channels; },
          .epsilon = s.epsilon,
          .forward =
              [s](const NormForward& p) {
                poet_group_norm_forward_f32(&s, p.x, p.scale, p.bias, p.y, p.mean, p.inverse_std);
              },
          .gradient =
              [s](const NormGradient& p) {
                poet_group_norm_gradient_f32(&s, p.x, p.scale, p.mean, p.inverse_std, p.dy, p.dx,
                                             p.dscale, p.dbias);
              }};
}

// batch, channels, pixels, groups, epsilon; the second is instance normalisation
const poet_group_norm_shape kGroupShapes[] = {
    {2, 6, 5, 3, 1e-5F}, {3, 4, 7, 4, 1e-3F}, {1, 4, 100, 1, 1e-5F}, {2, 8, 1, 2, 0.1F}};

std::vector<Norm> norms() {
  std::vector<Norm> all;
  for (const poet_layer_norm_shape& shape : kLayerShapes) all.push_back(norm_of(shape));
  for (const poet_group_norm_shape& shape : kGroupShapes) all.push_back(norm_of(shape));
  return all;
}

class SetNorm : public ::testing::TestWithParam<Norm> {};
INSTANTIATE_TEST_SUITE_P(LayerAndGroup, SetNorm, ::testing::ValuesIn(norms()),
                         [](const ::testing::TestParamInfo<Norm>& norm) {
                           return norm.param.name;
                         });

TEST_P(SetNorm, HasTheValuesAndGradientsOfItsFormula) {
  const Norm& norm = GetParam();
  const NormInputs in = norm_inputs(norm);
  const NormOutputs out = run_norm(norm, in);
  const Doubles x = as_doubles(in.x);
  const Doubles scale = as_doubles(in.scale);
  const Doubles bias = as_doubles(in.bias);
  const auto by_x = [&](const Doubles& at) { return normalised(norm, at, scale, bias); };
  const auto by_scale = [&](const Doubles& at) { return normalised(norm, x, at, bias); };
  const auto by_bias = [&](const Doubles& at) { return normalised(norm, x, scale, at); };
  EXPECT_LT(relative_error(out.y, as_floats(by_x(x))), 2e-6);
  EXPECT_LT(relative_error(out.dx, numeric_gradient(by_x, in.x, in.dy)), 5e-6);
  EXPECT_LT(relative_error(out.dscale, numeric_gradient(by_scale, in.scale, in.dy)), 5e-6);
  EXPECT_LT(relative_error(out.dbias, numeric_gradient(by_bias, in.bias, in.dy)), 5e-6);
}

TEST_P(SetNorm, WithoutScaleAndBiasIsTheOneWithOnesAndZeros) {
  const Norm& norm = GetParam();
  NormInputs in = norm_inputs(norm);
  in.scale.assign(norm.parameters, 1);
  in.bias.assign(norm.parameters, 0);
  const NormOutputs out = run_norm(norm, in);
  NormOutputs plain = out;
  norm.forward(
      {in.x.data(), nullptr, nullptr, plain.y.data(), plain.mean.data(), plain.inverse_std.data()});
  norm.gradient({in.x.data(), nullptr, plain.mean.data(), plain.inverse_std.data(), in.dy.data(),
                 plain.dx.data(), nullptr, nullptr});
  EXPECT_EQ(plain.y, out.y);
  EXPECT_EQ(plain.dx, out.dx);
}

// y in the place of x, and dx in that of x or dy.
TEST_P(SetNorm, InPlaceGivesTheSameBits) {
  const Norm& norm = GetParam();
  const NormInputs in = norm_inputs(norm);
  const NormOutputs out = run_norm(norm, in);
  NormOutputs other = out;
  std::vector<float> over_x = in.x;
  norm.forward({over_x.data(), in.scale.data(), in.bias.data(), over_x.data(), other.mean.data(),
                other.inverse_std.data()});
  EXPECT_EQ(over_x, out.y);
  over_x = in.x;
  norm.gradient({over_x.data(), in.scale.data(), out.mean.data(), out.inverse_std.data(),
                 in.dy.data(), over_x.data(), other.dscale.data(), other.dbias.data()});
  EXPECT_EQ(over_x, out.dx);
  EXPECT_EQ(other.dscale, out.dscale);
  std::vector<float> over_dy = in.dy;
  norm.gradient({in.x.data(), in.scale.data(), out.mean.data(), out.inverse_std.data(),
                 over_dy.data(), over_dy.data(), other.dscale.data(), other.dbias.data()});
  EXPECT_EQ(over_dy, out.dx);
  EXPECT_EQ(other.dbias, out.dbias);
}

void expect_golden_norm(const Norm& norm, const GoldenCase& golden) {
  SCOPED_TRACE(golden.name);
  const NormOutputs out = run_norm(norm, {.x = golden.floats("x"),
                                          .dy = golden.floats("dy"),
                                          .scale = golden.floats("scale"),
                                          .bias = golden.floats("bias")});
  EXPECT_LT(relative_error(out.y, golden.floats("y")), 1e-6);
  EXPECT_LT(relative_error(out.dx, golden.floats("dx")), 2e-6);
  EXPECT_LT(relative_error(out.dscale, golden.floats("dscale")), 1e-6);
  EXPECT_LT(relative_error(out.dbias, golden.floats("dbias")), 1e-6);
}

TEST(LayerNorm, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("layer_norm"))
    expect_golden_norm(norm_of(poet_layer_norm_shape{golden.whole("rows"), golden.whole("features"),
                                                     golden.real("epsilon")}),
                       golden);
}

TEST(GroupNorm, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("group_norm"))
    expect_golden_norm(norm_of(poet_group_norm_shape{
                           golden.whole("batch"), golden.whole("channels"), golden.whole("pixels"),
                           golden.whole("groups"), golden.real("epsilon")}),
                       golden);
}

}  // namespace
}  // namespace poet
