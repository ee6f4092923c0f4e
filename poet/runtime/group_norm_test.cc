#include "poet/runtime/group_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

// The indexes of x in group `group` of image `image` follow each other.
Doubles normalised(const poet_group_norm_shape& s, const Doubles& x, const Doubles& scale,
                   const Doubles& bias) {
  const std::size_t count = s.channels / s.groups * s.pixels;
  Doubles y;
  for (std::size_t first = 0; first < x.size(); first += count) {
    double mean = 0;
    double variance = 0;
    for (std::size_t i = first; i < first + count; ++i) mean += x[i] / static_cast<double>(count);
    for (std::size_t i = first; i < first + count; ++i)
      variance += (x[i] - mean) * (x[i] - mean) / static_cast<double>(count);
    for (std::size_t i = first; i < first + count; ++i) {
      const std::size_t c = i / s.pixels % s.channels;
      y.push_back((x[i] - mean) / std::sqrt(variance + s.epsilon) * scale[c] + bias[c]);
    }
  }
  return y;
}

struct Outputs {
  Values y, mean, inverse_std, dx, dscale, dbias;
};

struct Inputs {
  explicit Inputs(const poet_group_norm_shape& s)
      : x(arbitrary_values(static_cast<std::size_t>(s.batch) * s.channels * s.pixels, 1)),
        dy(arbitrary_values(x.size(), 2)),
        scale(arbitrary_values(s.channels, 3)),
        bias(arbitrary_values(s.channels, 4)) {}
  Values x, dy, scale, bias;
};

Outputs run(const poet_group_norm_shape& s, const Inputs& in) {
  const std::size_t groups = static_cast<std::size_t>(s.batch) * s.groups;
  const std::size_t channels = s.channels;
  Outputs out = {Values(in.x.size()), Values(groups),       Values(groups),
                 Values(in.x.size()), Values(channels, 99), Values(channels, 99)};
  poet_group_norm_forward_f32(&s, in.x.data(), in.scale.data(), in.bias.data(), out.y.data(),
                              out.mean.data(), out.inverse_std.data());
  poet_group_norm_gradient_f32(&s, in.x.data(), in.scale.data(), out.mean.data(),
                               out.inverse_std.data(), in.dy.data(), out.dx.data(),
                               out.dscale.data(), out.dbias.data());
  return out;
}

// batch, channels, pixels, groups, epsilon; the second is instance normalisation
const poet_group_norm_shape kShapes[] = {
    {2, 6, 5, 3, 1e-5F}, {3, 4, 7, 4, 1e-3F}, {1, 4, 100, 1, 1e-5F}, {2, 8, 1, 2, 0.1F}};

TEST(GroupNorm, HasTheValuesAndGradientsOfItsFormula) {
  for (const poet_group_norm_shape& shape : kShapes) {
    SCOPED_TRACE(shape.groups);
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

TEST(GroupNorm, WithoutScaleAndBiasIsTheOneWithOnesAndZeros) {
  const poet_group_norm_shape shape = kShapes[0];
  Inputs in(shape);
  in.scale.assign(6, 1);
  in.bias.assign(6, 0);
  const Outputs out = run(shape, in);
  Values y(in.x.size());
  Values dx(in.x.size());
  Values mean(6);
  Values inverse_std(6);
  poet_group_norm_forward_f32(&shape, in.x.data(), nullptr, nullptr, y.data(), mean.data(),
                              inverse_std.data());
  poet_group_norm_gradient_f32(&shape, in.x.data(), nullptr, mean.data(), inverse_std.data(),
                               in.dy.data(), dx.data(), nullptr, nullptr);
  EXPECT_EQ(y, out.y);
  EXPECT_EQ(dx, out.dx);
}

TEST(GroupNorm, InPlaceGivesTheSameBits) {
  for (const poet_group_norm_shape& shape : kShapes) {
    const Inputs in(shape);
    const Outputs out = run(shape, in);
    Outputs other = out;
    Values over_x = in.x;
    poet_group_norm_forward_f32(&shape, over_x.data(), in.scale.data(), in.bias.data(),
                                over_x.data(), other.mean.data(), other.inverse_std.data());
    EXPECT_EQ(over_x, out.y);
    over_x = in.x;
    poet_group_norm_gradient_f32(&shape, over_x.data(), in.scale.data(), out.mean.data(),
                                 out.inverse_std.data(), in.dy.data(), over_x.data(),
                                 other.dscale.data(), other.dbias.data());
    EXPECT_EQ(over_x, out.dx);
    EXPECT_EQ(other.dscale, out.dscale);
    Values over_dy = in.dy;
    poet_group_norm_gradient_f32(&shape, in.x.data(), in.scale.data(), out.mean.data(),
                                 out.inverse_std.data(), over_dy.data(), over_dy.data(),
                                 other.dscale.data(), other.dbias.data());
    EXPECT_EQ(over_dy, out.dx);
    EXPECT_EQ(other.dbias, out.dbias);
  }
}

TEST(GroupNorm, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("group_norm")) {
    SCOPED_TRACE(golden.name);
    const poet_group_norm_shape shape = {golden.whole("batch"), golden.whole("channels"),
                                         golden.whole("pixels"), golden.whole("groups"),
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
