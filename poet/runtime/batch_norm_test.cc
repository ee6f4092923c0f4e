#include "poet/runtime/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

struct Statistics {
  Doubles mean;
  Doubles variance;
};

std::size_t channel_of(const poet_batch_norm_shape& s, std::size_t i) {
  return i / static_cast<std::size_t>(s.pixels) % static_cast<std::size_t>(s.channels);
}

Statistics statistics(const poet_batch_norm_shape& s, const Doubles& x) {
  const double count = static_cast<double>(s.batch) * s.pixels;
  Statistics found = {Doubles(s.channels), Doubles(s.channels)};
  for (std::size_t i = 0; i < x.size(); ++i) found.mean[channel_of(s, i)] += x[i] / count;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double deviation = x[i] - found.mean[channel_of(s, i)];
    found.variance[channel_of(s, i)] += deviation * deviation / count;
  }
  return found;
}

Doubles normalised(const poet_batch_norm_shape& s, const Doubles& x, const Statistics& of,
                   const Doubles& scale, const Doubles& bias) {
  Doubles y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = channel_of(s, i);
    y.push_back((x[i] - of.mean[c]) / std::sqrt(of.variance[c] + s.epsilon) * scale[c] + bias[c]);
  }
  return y;
}

// One pass of training over arbitrary values, and the same in place.
struct Layer {
  explicit Layer(const poet_batch_norm_shape& of)
      : shape(of),
        x(arbitrary_values(static_cast<std::size_t>(of.batch) * of.channels * of.pixels, 1)),
        dy(arbitrary_values(x.size(), 2)),
        scale(arbitrary_values(of.channels, 3)),
        bias(arbitrary_values(of.channels, 4)),
        y(x.size(), 99),
        mean(of.channels, 99),
        inverse_std(of.channels, 99),
        dx(x.size(), 99),
        dscale(of.channels, 99),
        dbias(of.channels, 99) {
    poet_batch_norm_forward_f32(&shape, x.data(), scale.data(), bias.data(), y.data(), mean.data(),
                                inverse_std.data());
    poet_batch_norm_gradient_f32(&shape, x.data(), scale.data(), mean.data(), inverse_std.data(),
                                 dy.data(), dx.data(), dscale.data(), dbias.data());
  }

  poet_batch_norm_shape shape;
  Values x, dy, scale, bias;
  Values y, mean, inverse_std, dx, dscale, dbias;
};

// batch, channels, pixels, epsilon, momentum, unbiased, others
const poet_batch_norm_shape kShapes[] = {{2, 3, 5, 1e-5F, 0.1F, 1, 0},
                                         {4, 2, 1, 1e-3F, 0.1F, 1, 0},
                                         {1, 3, 300, 1e-5F, 0.1F, 0, 0},
                                         {3, 1, 17, 0.5F, 0.3F, 0, 0}};

TEST(BatchNorm, HasTheValuesAndGradientsOfItsFormula) {
  for (const poet_batch_norm_shape& shape : kShapes) {
    SCOPED_TRACE(shape.pixels);
    const Layer layer(shape);
    const Doubles x = as_doubles(layer.x);
    const Doubles scale = as_doubles(layer.scale);
    const Doubles bias = as_doubles(layer.bias);
    const auto forward = [&](const Doubles& x_of, const Doubles& scale_of, const Doubles& bias_of) {
      return normalised(shape, x_of, statistics(shape, x_of), scale_of, bias_of);
    };
    EXPECT_LT(relative_error(layer.y, as_floats(forward(x, scale, bias))), 2e-6);
    EXPECT_LT(relative_error(layer.mean, as_floats(statistics(shape, x).mean)), 1e-6);
    const auto by_x = [&](const Doubles& at) { return forward(at, scale, bias); };
    const auto by_scale = [&](const Doubles& at) { return forward(x, at, bias); };
    const auto by_bias = [&](const Doubles& at) { return forward(x, scale, at); };
    EXPECT_LT(relative_error(layer.dx, numeric_gradient(by_x, layer.x, layer.dy)), 5e-6);
    EXPECT_LT(relative_error(layer.dscale, numeric_gradient(by_scale, layer.scale, layer.dy)),
              5e-6);
    EXPECT_LT(relative_error(layer.dbias, numeric_gradient(by_bias, layer.bias, layer.dy)), 5e-6);
  }
}

TEST(BatchNorm, InPlaceGivesTheSameBits) {
  for (const poet_batch_norm_shape& shape : kShapes) {
    const Layer layer(shape);
    Values y = layer.x;
    Values mean(shape.channels);
    Values inverse_std(shape.channels);
    poet_batch_norm_forward_f32(&shape, y.data(), layer.scale.data(), layer.bias.data(), y.data(),
                                mean.data(), inverse_std.data());
    EXPECT_EQ(y, layer.y);
    EXPECT_EQ(inverse_std, layer.inverse_std);

    Values over_dy = layer.dy;
    Values over_x = layer.x;
    Values dscale(shape.channels);
    Values dbias(shape.channels);
    poet_batch_norm_gradient_f32(&shape, layer.x.data(), layer.scale.data(), mean.data(),
                                 inverse_std.data(), over_dy.data(), over_dy.data(), dscale.data(),
                                 dbias.data());
    poet_batch_norm_gradient_f32(&shape, over_x.data(), layer.scale.data(), mean.data(),
                                 inverse_std.data(), layer.dy.data(), over_x.data(), dscale.data(),
                                 dbias.data());
    EXPECT_EQ(over_dy, layer.dx);
    EXPECT_EQ(over_x, layer.dx);
    EXPECT_EQ(dscale, layer.dscale);
  }
}

TEST(BatchNormInference, HasTheValuesAndGradientsOfItsFormula) {
  for (const poet_batch_norm_shape& shape : kShapes) {
    SCOPED_TRACE(shape.pixels);
    const Layer layer(shape);
    const Values mean = arbitrary_values(shape.channels, 5);
    Values variance = arbitrary_values(shape.channels, 6);
    for (float& value : variance) value = 1.5F + value;
    Values y(layer.x.size());
    Values dx(layer.x.size());
    Values dscale(shape.channels);
    Values dbias(shape.channels);
    poet_batch_norm_inference_forward_f32(&shape, layer.x.data(), layer.scale.data(),
                                          layer.bias.data(), mean.data(), variance.data(),
                                          y.data());
    poet_batch_norm_inference_gradient_f32(&shape, layer.x.data(), layer.scale.data(), mean.data(),
                                           variance.data(), layer.dy.data(), dx.data(),
                                           dscale.data(), dbias.data());
    const Statistics frozen = {as_doubles(mean), as_doubles(variance)};
    const Doubles x = as_doubles(layer.x);
    const Doubles scale = as_doubles(layer.scale);
    const Doubles bias = as_doubles(layer.bias);
    const auto by_x = [&](const Doubles& at) { return normalised(shape, at, frozen, scale, bias); };
    const auto by_scale = [&](const Doubles& at) { return normalised(shape, x, frozen, at, bias); };
    const auto by_bias = [&](const Doubles& at) { return normalised(shape, x, frozen, scale, at); };
    EXPECT_LT(relative_error(y, as_floats(by_x(x))), 1e-6);
    EXPECT_LT(relative_error(dx, numeric_gradient(by_x, layer.x, layer.dy)), 1e-6);
    EXPECT_LT(relative_error(dscale, numeric_gradient(by_scale, layer.scale, layer.dy)), 2e-6);
    EXPECT_LT(relative_error(dbias, numeric_gradient(by_bias, layer.bias, layer.dy)), 2e-6);
  }
}

TEST(BatchNormInference, InPlaceGivesTheSameBits) {
  const poet_batch_norm_shape shape = kShapes[0];
  const Layer layer(shape);
  const Values mean = {0.1F, 0.2F, 0.3F};
  const Values variance = {1, 2, 3};
  Values y(layer.x.size());
  poet_batch_norm_inference_forward_f32(&shape, layer.x.data(), layer.scale.data(),
                                        layer.bias.data(), mean.data(), variance.data(), y.data());
  Values over_x = layer.x;
  poet_batch_norm_inference_forward_f32(&shape, over_x.data(), layer.scale.data(),
                                        layer.bias.data(), mean.data(), variance.data(),
                                        over_x.data());
  EXPECT_EQ(over_x, y);

  Values dx(layer.x.size());
  Values dscale(3);
  Values dbias(3);
  poet_batch_norm_inference_gradient_f32(&shape, layer.x.data(), layer.scale.data(), mean.data(),
                                         variance.data(), layer.dy.data(), dx.data(), dscale.data(),
                                         dbias.data());
  Values over_dy = layer.dy;
  poet_batch_norm_inference_gradient_f32(&shape, layer.x.data(), layer.scale.data(), mean.data(),
                                         variance.data(), over_dy.data(), over_dy.data(),
                                         dscale.data(), dbias.data());
  EXPECT_EQ(over_dy, dx);
  over_x = layer.x;
  poet_batch_norm_inference_gradient_f32(&shape, over_x.data(), layer.scale.data(), mean.data(),
                                         variance.data(), layer.dy.data(), over_x.data(),
                                         dscale.data(), dbias.data());
  EXPECT_EQ(over_x, dx);
}

// mean 3 and variance 2 of {1, 2, 3, 4, 5}; unbiased, the variance is 2.5.
TEST(BatchNormStatistics, FollowTheBatchWithMomentum) {
  poet_batch_norm_shape shape = {1, 1, 5, 1e-5F, 0.25F, 1, 0};
  const Values x = {1, 2, 3, 4, 5};
  const Values one = {1};
  const Values zero = {0};
  Values y(5);
  Values mean(1);
  Values inverse_std(1);
  poet_batch_norm_forward_f32(&shape, x.data(), one.data(), zero.data(), y.data(), mean.data(),
                              inverse_std.data());
  Values running_mean = {7};
  Values running_variance = {4};
  Values new_mean(1);
  Values new_variance(1);
  poet_batch_norm_statistics_update_f32(&shape, running_mean.data(), running_variance.data(),
                                        mean.data(), inverse_std.data(), new_mean.data(),
                                        new_variance.data());
  EXPECT_FLOAT_EQ(new_mean[0], 0.75F * 7 + 0.25F * 3);
  EXPECT_FLOAT_EQ(new_variance[0], 0.75F * 4 + 0.25F * 2.5F);

  shape.unbiased = 0;
  poet_batch_norm_statistics_update_f32(&shape, running_mean.data(), running_variance.data(),
                                        mean.data(), inverse_std.data(), new_mean.data(),
                                        new_variance.data());
  EXPECT_FLOAT_EQ(new_variance[0], 0.75F * 4 + 0.25F * 2);
  poet_batch_norm_statistics_update_f32(&shape, running_mean.data(), running_variance.data(),
                                        mean.data(), inverse_std.data(), running_mean.data(),
                                        running_variance.data());
  EXPECT_EQ(running_mean, new_mean);
  EXPECT_EQ(running_variance, new_variance);
}

TEST(BatchNormStatistics, OfASingleElementHaveNoVariance) {
  const poet_batch_norm_shape shape = {1, 1, 1, 1e-5F, 0.5F, 1, 0};
  const Values running_mean = {2};
  const Values running_variance = {0};
  const Values mean = {4};
  const Values inverse_std = {316.5F};  // 1 / sqrt(epsilon) is 316.23
  Values new_mean(1);
  Values new_variance(1);
  poet_batch_norm_statistics_update_f32(&shape, running_mean.data(), running_variance.data(),
                                        mean.data(), inverse_std.data(), new_mean.data(),
                                        new_variance.data());
  EXPECT_EQ(new_mean[0], 3);
  EXPECT_EQ(new_variance[0], 0);
}

TEST(BatchNorm, OfPartOfTheChannelsIsAsInTheWhole) {
  const Layer whole({2, 4, 5, 1e-5F, 0.1F, 1, 0});
  Layer part = whole;
  part.shape.channels = 2;
  part.shape.others = 2;
  for (Values* const made : {&part.y, &part.mean, &part.inverse_std, &part.dx, &part.dscale})
    std::fill(made->begin(), made->end(), 99.0F);
  for (const int first : {0, 2}) {
    const int at = first * part.shape.pixels;
    poet_batch_norm_forward_f32(&part.shape, &part.x[at], &part.scale[first], &part.bias[first],
                                &part.y[at], &part.mean[first], &part.inverse_std[first]);
    poet_batch_norm_gradient_f32(&part.shape, &part.x[at], &part.scale[first], &part.mean[first],
                                 &part.inverse_std[first], &part.dy[at], &part.dx[at],
                                 &part.dscale[first], &part.dbias[first]);
  }
  EXPECT_EQ(part.y, whole.y);
  EXPECT_EQ(part.mean, whole.mean);
  EXPECT_EQ(part.inverse_std, whole.inverse_std);
  EXPECT_EQ(part.dx, whole.dx);
  EXPECT_EQ(part.dscale, whole.dscale);
}

TEST(BatchNorm, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("batch_norm")) {
    SCOPED_TRACE(golden.name);
    const poet_batch_norm_shape shape = {golden.whole("batch"),
                                         golden.whole("channels"),
                                         golden.whole("pixels"),
                                         golden.real("epsilon"),
                                         golden.real("momentum"),
                                         1,
                                         0};
    const Values x = golden.floats("x");
    const Values scale = golden.floats("scale");
    const Values bias = golden.floats("bias");
    const Values dy = golden.floats("dy");
    const Values running_mean = golden.floats("running_mean");
    const Values running_variance = golden.floats("running_variance");
    Values y(x.size());
    Values dx(x.size());
    Values mean(scale.size());
    Values inverse_std(scale.size());
    Values dscale(scale.size());
    Values dbias(scale.size());
    if (golden.whole("training")) {
      poet_batch_norm_forward_f32(&shape, x.data(), scale.data(), bias.data(), y.data(),
                                  mean.data(), inverse_std.data());
      poet_batch_norm_gradient_f32(&shape, x.data(), scale.data(), mean.data(), inverse_std.data(),
                                   dy.data(), dx.data(), dscale.data(), dbias.data());
      Values new_mean(scale.size());
      Values new_variance(scale.size());
      poet_batch_norm_statistics_update_f32(&shape, running_mean.data(), running_variance.data(),
                                            mean.data(), inverse_std.data(), new_mean.data(),
                                            new_variance.data());
      EXPECT_LT(relative_error(new_mean, golden.floats("new_running_mean")), 1e-6);
      EXPECT_LT(relative_error(new_variance, golden.floats("new_running_variance")), 1e-6);
    } else {
      poet_batch_norm_inference_forward_f32(&shape, x.data(), scale.data(), bias.data(),
                                            running_mean.data(), running_variance.data(), y.data());
      poet_batch_norm_inference_gradient_f32(&shape, x.data(), scale.data(), running_mean.data(),
                                             running_variance.data(), dy.data(), dx.data(),
                                             dscale.data(), dbias.data());
    }
    EXPECT_LT(relative_error(y, golden.floats("y")), 1e-6);
    EXPECT_LT(relative_error(dx, golden.floats("dx")), 2e-6);
    EXPECT_LT(relative_error(dscale, golden.floats("dscale")), 1e-6);
    EXPECT_LT(relative_error(dbias, golden.floats("dbias")), 1e-6);
  }
}

}  // namespace
}  // namespace poet
