#include "poet/runtime/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

Doubles normalised(const poet_layer_norm_shape& s, const Doubles& x, const Doubles& scale,
                   const Doubles& bias) {
  Doubles y;
  for (std::int32_t r = 0; r < s.rows; ++r) {
    const Doubles row(x.begin() + r * s.features, x.begin() + (r + 1) * s.features);
    double mean = 0;
    double variance = 0;
    for (const double value : row) mean += value / s.features;
    for (const double value : row) variance += (value - mean) * (value - mean) / s.features;
    for (std::int32_t f = 0; f < s.features; ++f)
      y.push_back((row[f] - mean) / std::sqrt(variance + s.epsilon) * scale[f] + bias[f]);
  }
  return y;
}

struct Outputs {
  Values y, mean, inverse_std, dx, dscale, dbias;
};

struct Inputs {
  explicit Inputs(const poet_layer_norm_shape& s)
      : x(arbitrary_values(static_cast<std::size_t>(s.rows) * s.features, 1)),
        dy(arbitrary_values(x.size(), 2)),
        scale(arbitrary_values(s.features, 3)),
        bias(arbitrary_values(s.features, 4)) {}
  Values x, dy, scale, bias;
};

Outputs run(const poet_layer_norm_shape& s, const Inputs& in) {
  const std::size_t rows = s.rows;
  const std::size_t features = s.features;
  Outputs out = {Values(in.x.size()), Values(rows),         Values(rows),
                 Values(in.x.size()), Values(features, 99), Values(features, 99)};
  poet_layer_norm_forward_f32(&s, in.x.data(), in.scale.data(), in.bias.data(), out.y.data(),
                              out.mean.data(), out.inverse_std.data());
  poet_layer_norm_gradient_f32(&s, in.x.data(), in.scale.data(), out.mean.data(),
                               out.inverse_std.data(), in.dy.data(), out.dx.data(),
                               out.dscale.data(), out.dbias.data());
  return out;
}

// rows, features, epsilon; more than one block of features
const poet_layer_norm_shape kShapes[] = {
    {3, 5, 1e-5F}, {1, 1, 0.1F}, {4, 16, 1e-3F}, {2, 300, 1e-5F}};

TEST(LayerNorm, HasTheValuesAndGradientsOfItsFormula) {
  for (const poet_layer_norm_shape& shape : kShapes) {
    SCOPED_TRACE(shape.features);
    const Inputs in(shape);
    const Outputs out = run(shape, in);
    const Doubles x = as_doubles(in.x);
    const Doubles scale = as_doubles(in.scale);
    const Doubles bias = as_doubles(in.bias);
    const auto by_x = [&](const Doubles& at) { return normalised(shape, at, scale, bias); };
    const auto by_scale = [&](const Doubles& at) { return normalised(shape, x, at, bias); };
    const auto by_bias = [&](const Doubles& at) { return normalised(shape, x, scale, at); };
    EXPECT_LT(relative_error(out.y, as_floats(by_x(x))), 2e-6);
    EXPECT_LT(relative_error(out.dx, numeric_gradient(by_x, in.x, in.dy)), 5e-6);
    EXPECT_LT(relative_error(out.dscale, numeric_gradient(by_scale, in.scale, in.dy)), 5e-6);
    EXPECT_LT(relative_error(out.dbias, numeric_gradient(by_bias, in.bias, in.dy)), 5e-6);
  }
}

TEST(LayerNorm, WithoutScaleAndBiasIsTheOneWithOnesAndZeros) {
  const poet_layer_norm_shape shape = {3, 9, 1e-5F};
  Inputs in(shape);
  in.scale.assign(9, 1);
  in.bias.assign(9, 0);
  const Outputs out = run(shape, in);
  Values y(in.x.size());
  Values dx(in.x.size());
  Values mean(3);
  Values inverse_std(3);
  poet_layer_norm_forward_f32(&shape, in.x.data(), nullptr, nullptr, y.data(), mean.data(),
                              inverse_std.data());
  poet_layer_norm_gradient_f32(&shape, in.x.data(), nullptr, mean.data(), inverse_std.data(),
                               in.dy.data(), dx.data(), nullptr, nullptr);
  EXPECT_EQ(y, out.y);
  EXPECT_EQ(dx, out.dx);
}

TEST(LayerNorm, InPlaceGivesTheSameBits) {
  for (const poet_layer_norm_shape& shape : kShapes) {
    const Inputs in(shape);
    const Outputs out = run(shape, in);
    Outputs other = out;
    Values over_x = in.x;
    poet_layer_norm_forward_f32(&shape, over_x.data(), in.scale.data(), in.bias.data(),
                                over_x.data(), other.mean.data(), other.inverse_std.data());
    EXPECT_EQ(over_x, out.y);
    over_x = in.x;
    poet_layer_norm_gradient_f32(&shape, over_x.data(), in.scale.data(), out.mean.data(),
                                 out.inverse_std.data(), in.dy.data(), over_x.data(),
                                 other.dscale.data(), other.dbias.data());
    EXPECT_EQ(over_x, out.dx);
    EXPECT_EQ(other.dscale, out.dscale);
    Values over_dy = in.dy;
    poet_layer_norm_gradient_f32(&shape, in.x.data(), in.scale.data(), out.mean.data(),
                                 out.inverse_std.data(), over_dy.data(), over_dy.data(),
                                 other.dscale.data(), other.dbias.data());
    EXPECT_EQ(over_dy, out.dx);
    EXPECT_EQ(other.dbias, out.dbias);
  }
}

TEST(LayerNorm, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("layer_norm")) {
    SCOPED_TRACE(golden.name);
    const poet_layer_norm_shape shape = {golden.whole("rows"), golden.whole("features"),
                                         golden.real("epsilon")};
    Inputs in(shape);
    in.x = golden.floats("x");
    in.dy = golden.floats("dy");
    in.scale = golden.floats("scale");
    in.bias = golden.floats("bias");
    const Outputs out = run(shape, in);
    EXPECT_LT(relative_error(out.y, golden.floats("y")), 1e-6);
    EXPECT_LT(relative_error(out.dx, golden.floats("dx")), 2e-6);
    EXPECT_LT(relative_error(out.dscale, golden.floats("dscale")), 1e-6);
    EXPECT_LT(relative_error(out.dbias, golden.floats("dbias")), 1e-6);
  }
}

}  // namespace
}  // namespace poet
