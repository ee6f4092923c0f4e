#include "poet/runtime/conv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/conv_products_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

using Values = std::vector<float>;

// Central differences evaluate all products twice for each number; more than these take sanitizers
// half a minute.
constexpr std::size_t kMostDifferentiatedProducts = 20'000;

struct ConvCase {
  std::string name;
  poet_conv_shape shape;
};

void PrintTo(const ConvCase& conv, std::ostream* out) {
  *out << conv.name;
}

// batch, C, M, groups, input, output, kernel, stride, dilation, padding
const std::vector<ConvCase>& conv_cases() {
  static const std::vector<ConvCase> cases = {
      {"one_place", {1, 1, 1, 1, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}}},
      {"pointwise", {2, 5, 9, 1, {1, 3, 5}, {1, 3, 5}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}}},
      {"pointwise_strided",
       {2, 6, 5, 1, {1, 5, 6}, {1, 3, 3}, {1, 1, 1}, {1, 2, 2}, {1, 1, 1}, {0, 0, 0}}},
      {"same_3x3", {2, 4, 7, 1, {1, 6, 9}, {1, 6, 9}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}}},
      {"wide_row",
       {1, 5, 4, 1, {1, 3, 30}, {1, 3, 30}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}}},
      {"strided_3x3",
       {2, 5, 6, 1, {1, 7, 8}, {1, 4, 4}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}}},
      {"strides_beyond_the_kernel",
       {1, 4, 4, 1, {1, 11, 10}, {1, 3, 3}, {1, 2, 2}, {1, 4, 4}, {1, 1, 1}, {0, 0, 1}}},
      {"dilated", {1, 4, 5, 1, {1, 9, 9}, {1, 5, 5}, {1, 3, 3}, {1, 1, 1}, {1, 2, 2}, {0, 0, 0}}},
      {"dilated_and_strided",
       {2, 4, 4, 1, {1, 10, 11}, {1, 3, 6}, {1, 3, 2}, {1, 3, 2}, {1, 2, 4}, {0, 1, 2}}},
      {"stride_6_dilation_4",
       {1, 4, 4, 1, {1, 1, 40}, {1, 1, 6}, {1, 1, 5}, {1, 1, 6}, {1, 1, 4}, {0, 0, 3}}},
      {"stem_7x7",
       {1, 3, 8, 1, {1, 15, 15}, {1, 8, 8}, {1, 7, 7}, {1, 2, 2}, {1, 1, 1}, {0, 3, 3}}},
      {"groups", {2, 8, 10, 2, {1, 5, 5}, {1, 5, 5}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}}},
      {"depthwise", {2, 6, 6, 6, {1, 7, 7}, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}}},
      {"depthwise_strided",
       {1, 4, 4, 4, {1, 8, 9}, {1, 4, 5}, {1, 5, 5}, {1, 2, 2}, {1, 1, 1}, {0, 2, 2}}},
      {"depthwise_with_multiplier",
       {1, 3, 15, 3, {1, 6, 6}, {1, 4, 4}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}}},
      {"signal", {2, 4, 6, 1, {1, 1, 20}, {1, 1, 11}, {1, 1, 4}, {1, 1, 2}, {1, 1, 1}, {0, 0, 3}}},
      {"volume", {1, 4, 4, 1, {4, 5, 4}, {2, 5, 3}, {3, 3, 2}, {2, 1, 1}, {1, 1, 1}, {1, 1, 0}}},
      {"more_padding_behind",
       {1, 4, 4, 1, {1, 5, 5}, {1, 6, 7}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1}}},
      {"cropped", {1, 4, 4, 1, {1, 8, 8}, {1, 3, 3}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, -2, -1}}},
      {"long_sum", {3, 20, 5, 1, {1, 4, 4}, {1, 4, 4}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}}},
  };
  return cases;
}

class EveryConvolution : public ::testing::TestWithParam<ConvCase> {
 protected:
  const poet_conv_shape shape = GetParam().shape;
  const std::vector<ConvProduct> products = conv_products(shape);
  const std::size_t inputs = shape.batch * shape.in_channels * volume_of(shape.input);
  const std::size_t outputs = shape.batch * shape.out_channels * volume_of(shape.output);
  const std::size_t weights =
      shape.out_channels * (shape.in_channels / shape.groups) * volume_of(shape.kernel);
  const Values x = arbitrary_values(inputs, 1);
  const Values w = arbitrary_values(weights, 2);
  const Values dy = arbitrary_values(outputs, 3);
  Values y = Values(outputs, 99);
  Values dx = Values(inputs, 99);
  Values dw = Values(weights, 99);
};

TEST_P(EveryConvolution, FollowsItsOrderToTheBit) {
  poet_conv_forward_f32(&shape, x.data(), w.data(), nullptr, y.data());
  poet_conv_input_gradient_f32(&shape, dy.data(), w.data(), nullptr, dx.data());
  poet_conv_weight_gradient_f32(&shape, x.data(), dy.data(), dw.data());
  Values expected_y(outputs);
  Values expected_dx(inputs);
  Values expected_dw(weights);
  for (const ConvProduct& at : products) {
    expected_y[at.y] += x[at.x] * w[at.w];
    expected_dx[at.x] += dy[at.y] * w[at.w];
    expected_dw[at.w] += dy[at.y] * x[at.x];
  }
  EXPECT_EQ(y, expected_y);
  EXPECT_EQ(dx, expected_dx);
  EXPECT_EQ(dw, expected_dw);
}

TEST_P(EveryConvolution, HasTheGradientsOfCentralDifferences) {
  if (testing::kUnderSanitizers && products.size() > kMostDifferentiatedProducts)
    GTEST_SKIP() << "other tests call the same kernels; this one then compares numbers only";
  poet_conv_input_gradient_f32(&shape, dy.data(), w.data(), nullptr, dx.data());
  poet_conv_weight_gradient_f32(&shape, x.data(), dy.data(), dw.data());
  const auto forward = [&](const Doubles& x_of, const Doubles& w_of) {
    Doubles sums(outputs);
    for (const ConvProduct& at : products) sums[at.y] += x_of[at.x] * w_of[at.w];
    return sums;
  };
  const auto by_x = [&](const Doubles& place) { return forward(place, as_doubles(w)); };
  const auto by_w = [&](const Doubles& place) { return forward(as_doubles(x), place); };
  EXPECT_LT(relative_error(dx, numeric_gradient(by_x, x, dy)), 2e-6);
  EXPECT_LT(relative_error(dw, numeric_gradient(by_w, w, dy)), 2e-6);
}

// <y(x), dy> = <x, dx(dy)>: the layer is linear in x, and in w.
TEST_P(EveryConvolution, HasItsAdjointsAsGradients) {
  poet_conv_forward_f32(&shape, x.data(), w.data(), nullptr, y.data());
  poet_conv_input_gradient_f32(&shape, dy.data(), w.data(), nullptr, dx.data());
  poet_conv_weight_gradient_f32(&shape, x.data(), dy.data(), dw.data());
  const double output_side = inner_product(as_doubles(y), dy);
  const double tolerance = 1e-6 * static_cast<double>(products.size() + 1);
  EXPECT_NEAR(inner_product(as_doubles(x), dx), output_side, tolerance);
  EXPECT_NEAR(inner_product(as_doubles(w), dw), output_side, tolerance);
}

TEST_P(EveryConvolution, AddsItsBiasLast) {
  const Values bias = arbitrary_values(shape.out_channels, 4);
  Values with_bias(outputs, 99);
  poet_conv_forward_f32(&shape, x.data(), w.data(), nullptr, y.data());
  poet_conv_forward_f32(&shape, x.data(), w.data(), bias.data(), with_bias.data());
  const std::size_t places = volume_of(shape.output);
  for (std::size_t i = 0; i < outputs; ++i)
    ASSERT_EQ(with_bias[i], y[i] + bias[i / places % bias.size()]) << i;

  const Values transposed_bias = arbitrary_values(shape.in_channels, 5);
  Values dx_with_bias(inputs, 99);
  poet_conv_input_gradient_f32(&shape, dy.data(), w.data(), nullptr, dx.data());
  poet_conv_input_gradient_f32(&shape, dy.data(), w.data(), transposed_bias.data(),
                               dx_with_bias.data());
  const std::size_t input_places = volume_of(shape.input);
  for (std::size_t i = 0; i < inputs; ++i)
    ASSERT_EQ(dx_with_bias[i], dx[i] + transposed_bias[i / input_places % transposed_bias.size()]);
}

TEST_P(EveryConvolution, SumsTheGradientOfItsBias) {
  Values db(shape.out_channels, 99);
  poet_conv_bias_gradient_f32(&shape, dy.data(), db.data());
  Doubles expected(shape.out_channels);
  for (std::size_t i = 0; i < outputs; ++i)
    expected[i / volume_of(shape.output) % expected.size()] += dy[i];
  EXPECT_LT(relative_error(db, as_floats(expected)), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Conv, EveryConvolution, ::testing::ValuesIn(conv_cases()),
                         [](const auto& test) { return test.param.name; });

// Every extent of arbitrary size, most of them small.
poet_conv_shape arbitrary_shape(std::mt19937& draws) {
  const auto between = [&draws](std::int32_t least, std::int32_t most) {
    return least + static_cast<std::int32_t>(draws() % static_cast<unsigned>(most - least + 1));
  };
  const bool is_depthwise = between(0, 3) == 0;
  poet_conv_shape shape = {};
  shape.batch = between(1, 3);
  shape.groups = is_depthwise ? between(1, 6) : between(1, 2);
  shape.in_channels = shape.groups * (is_depthwise ? 1 : between(1, 9));
  shape.out_channels = shape.groups * (is_depthwise ? between(1, 2) : between(1, 18));
  for (std::int32_t d = 0; d < 3; ++d) {
    const bool is_flat = d < 2 && between(0, 4) < (d == 0 ? 4 : 1);
    shape.kernel[d] = is_flat ? 1 : between(1, d == 0 ? 2 : 5);
    shape.stride[d] = is_flat ? 1 : std::max(1, between(-1, 3));
    shape.dilation[d] = is_flat ? 1 : std::max(1, between(-1, 2));
    shape.input[d] = is_flat ? 1 : between(1, d == 0 ? 3 : 19);
    shape.padding[d] = is_flat ? 0 : between(-1, 3);
    const std::int32_t reach = (shape.kernel[d] - 1) * shape.dilation[d] + 1;
    const std::int32_t room = shape.input[d] + shape.padding[d] + between(0, 2) - reach;
    shape.output[d] = is_flat ? 1 : std::max(0, room) / shape.stride[d] + 1;
  }
  return shape;
}

// Whole, and going on with the sum of what came before; of the weights also some rows alone.
TEST(Conv, FollowsItsOrderToTheBitWhateverItsShape) {
  std::mt19937 draws(20);
  for (int round = 0; round < testing::random_cases(300); ++round) {
    const poet_conv_shape shape = arbitrary_shape(draws);
    SCOPED_TRACE(::testing::PrintToString(shape));
    const std::size_t inputs = shape.batch * shape.in_channels * volume_of(shape.input);
    const std::size_t outputs = shape.batch * shape.out_channels * volume_of(shape.output);
    const std::size_t row = shape.in_channels / shape.groups * volume_of(shape.kernel);
    const Values x = arbitrary_values(inputs, 1);
    const Values w = arbitrary_values(row * shape.out_channels, 2);
    const Values dy = arbitrary_values(outputs, 3);
    const std::vector<ConvProduct> products = conv_products(shape);
    for (const std::uint32_t begin : {0U, 4U}) {
      Values y = begin ? arbitrary_values(outputs, begin) : Values(outputs);
      Values dx = begin ? arbitrary_values(inputs, begin + 1) : Values(inputs);
      Values dw = begin ? arbitrary_values(w.size(), begin + 2) : Values(w.size());
      Values made_y = y;
      Values made_dx = dx;
      Values made_dw = dw;
      for (const ConvProduct& at : products) {
        y[at.y] += x[at.x] * w[at.w];
        dx[at.x] += dy[at.y] * w[at.w];
        dw[at.w] += dy[at.y] * x[at.x];
      }
      poet_conv_continued_f32(&shape, x.data(), w.data(), made_y.data(), nullptr, made_y.data());
      poet_conv_input_gradient_continued_f32(&shape, dy.data(), w.data(), made_dx.data(), nullptr,
                                             made_dx.data());
      poet_conv_weight_gradient_continued_f32(&shape, x.data(), dy.data(), made_dw.data(),
                                              made_dw.data());
      ASSERT_EQ(made_y, y);
      ASSERT_EQ(made_dx, dx);
      ASSERT_EQ(made_dw, dw);
      if (begin) continue;
      const std::int32_t first = static_cast<std::int32_t>(draws() % shape.out_channels);
      const std::int32_t end =
          first + 1 + static_cast<std::int32_t>(draws() % (shape.out_channels - first));
      poet_weight_block block = {first, end, 0, static_cast<std::int32_t>(row)};
      if (shape.out_channels > shape.groups) {
        block.first_column = static_cast<std::int32_t>(draws() % row);
        block.end_column = block.first_column + 1 +
                           static_cast<std::int32_t>(draws() % (row - block.first_column));
      }
      Values made;
      Values expected;
      for (std::int32_t r = first; r < end; ++r)
        expected.insert(expected.end(), dw.begin() + r * row + block.first_column,
                        dw.begin() + r * row + block.end_column);
      made.assign(expected.size(), 99);
      poet_conv_weight_gradient_block_f32(&block, &shape, x.data(), dy.data(), made.data());
      ASSERT_EQ(made, expected);
    }
  }
}

poet_conv_shape shape_of(const GoldenCase& golden) {
  poet_conv_shape shape = {};
  shape.batch = golden.whole("batch");
  shape.in_channels = golden.whole("in_channels");
  shape.out_channels = golden.whole("out_channels");
  shape.groups = golden.whole("groups");
  for (std::int32_t d = 0; d < 3; ++d) {
    shape.input[d] = golden.whole("input", d);
    shape.output[d] = golden.whole("output", d);
    shape.kernel[d] = golden.whole("kernel", d);
    shape.stride[d] = golden.whole("stride", d);
    shape.dilation[d] = golden.whole("dilation", d);
    shape.padding[d] = golden.whole("padding", d);
  }
  return shape;
}

void expect_convolution(const poet_conv_shape& shape, const GoldenCase& golden) {
  const Values x = golden.floats("x");
  const Values w = golden.floats("w");
  const Values dy = golden.floats("dy");
  Values y(dy.size());
  Values dx(x.size());
  Values dw(w.size());
  Values db(shape.out_channels);
  poet_conv_forward_f32(&shape, x.data(), w.data(), golden.floats("bias").data(), y.data());
  poet_conv_input_gradient_f32(&shape, dy.data(), w.data(), nullptr, dx.data());
  poet_conv_weight_gradient_f32(&shape, x.data(), dy.data(), dw.data());
  poet_conv_bias_gradient_f32(&shape, dy.data(), db.data());
  EXPECT_LT(relative_error(y, golden.floats("y")), 1e-6);
  EXPECT_LT(relative_error(dx, golden.floats("dx")), 1e-6);
  EXPECT_LT(relative_error(dw, golden.floats("dw")), 1e-6);
  EXPECT_LT(relative_error(db, golden.floats("db")), 1e-6);
}

// The same kernels with their roles swapped: the shape's input is the layer's output.
void expect_transposed_convolution(const poet_conv_shape& shape, const GoldenCase& golden) {
  const Values x = golden.floats("x");
  const Values w = golden.floats("w");
  const Values dy = golden.floats("dy");
  Values y(dy.size());
  Values dx(x.size());
  Values dw(w.size());
  Values db(shape.in_channels);
  poet_conv_input_gradient_f32(&shape, x.data(), w.data(), golden.floats("bias").data(), y.data());
  poet_conv_forward_f32(&shape, dy.data(), w.data(), nullptr, dx.data());
  poet_conv_weight_gradient_f32(&shape, dy.data(), x.data(), dw.data());
  poet_conv_shape of_output = shape;
  of_output.out_channels = shape.in_channels;
  for (std::int32_t d = 0; d < 3; ++d) of_output.output[d] = shape.input[d];
  poet_conv_bias_gradient_f32(&of_output, dy.data(), db.data());
  EXPECT_LT(relative_error(y, golden.floats("y")), 1e-6);
  EXPECT_LT(relative_error(dx, golden.floats("dx")), 1e-6);
  EXPECT_LT(relative_error(dw, golden.floats("dw")), 1e-6);
  EXPECT_LT(relative_error(db, golden.floats("db")), 1e-6);
}

// Not in as many phases as the stride is long.
TEST(Conv, TakesGradientsOfStridesBeyondTheInput) {
  const poet_conv_shape shape = {
      1, 1, 1, 1, {1, 4, 4}, {1, 1, 1}, {1, 2, 1}, {1, 1 << 30, 1 << 30}, {1, 1, 1}, {0, 1, 0}};
  const Values w = {2, 3};
  const Values dy = {5};
  Values dx(16, 1);
  poet_conv_input_gradient_f32(&shape, dy.data(), w.data(), nullptr, dx.data());
  Values wanted(16, 0);
  wanted[0] = 15;
  EXPECT_EQ(dx, wanted);
}

TEST(Conv, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("conv")) {
    SCOPED_TRACE(golden.name);
    if (golden.whole("transposed")) {
      expect_transposed_convolution(shape_of(golden), golden);
    } else {
      expect_convolution(shape_of(golden), golden);
    }
  }
}

}  // namespace
}  // namespace poet
