#include "poet/runtime/weight_update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/update.h"

namespace poet {
namespace {

using Values = std::vector<float>;

// What an update has besides its gradient.
struct UpdateCase {
  std::string name;
  poet_update_rule rule;
  bool has_other = false;
  std::uint32_t step = 2;
};

const std::vector<UpdateCase>& update_cases() {
  static const std::vector<UpdateCase> cases = {
      {"sgd", {POET_UPDATE_SGD, 0, 0, 0, 0, 0}},
      {"sgd_decay", {POET_UPDATE_SGD, 0.125F, 0, 0, 0, 0}},
      {"first_velocity", {POET_UPDATE_VELOCITY, 0, 0.9F, 0.25F, 0, 0}, false, 1},
      {"velocity", {POET_UPDATE_VELOCITY, 0, 0.9F, 0.25F, 0, 0}},
      {"velocity_decay", {POET_UPDATE_VELOCITY, 0.125F, 0.9F, 0, 0, 0}, true},
      {"nesterov", {POET_UPDATE_NESTEROV, 0, 0.9F, 0, 0, 0}, true},
      {"nesterov_decay", {POET_UPDATE_NESTEROV, 0.125F, 0.9F, 0, 0, 0}, true},
      {"first_moment", {POET_UPDATE_FIRST_MOMENT, 0, 0, 0, 0.9F, 0.1F}},
      {"first_moment_decay", {POET_UPDATE_FIRST_MOMENT, 0.125F, 0, 0, 0.9F, 0.1F}, true},
      {"second_moment", {POET_UPDATE_SECOND_MOMENT, 0, 0, 0, 0.999F, 0.001F}},
      {"second_moment_decay", {POET_UPDATE_SECOND_MOMENT, 0.125F, 0, 0, 0.999F, 0.001F}, true}};
  return cases;
}

poet_step_words step_of(const UpdateCase& update) {
  poet_step_words step = {};
  step.step = update.step;
  step.learning_rate = 0.3F;
  return step;
}

// The update of a whole weight, by the function of update.h that the rule stands for.
Values updated(const UpdateCase& update, const Values& value, const Values& other,
               const Values& gradient) {
  const poet_update_rule& rule = update.rule;
  const auto count = static_cast<std::int32_t>(value.size());
  const float* const second = update.has_other ? other.data() : nullptr;
  const poet_step_words step = step_of(update);
  const poet_sgd_shape sgd = {count, rule.weight_decay};
  const poet_velocity_shape velocity = {count, rule.momentum, rule.dampening, rule.weight_decay};
  const poet_nesterov_shape nesterov = {count, rule.momentum, rule.weight_decay};
  const poet_moment_shape moment = {count, rule.beta, rule.one_minus_beta, rule.weight_decay};
  Values made(value.size(), 99);
  switch (rule.kind) {
    case POET_UPDATE_SGD:
      poet_sgd_update_f32(&sgd, value.data(), gradient.data(), &step, nullptr, made.data());
      break;
    case POET_UPDATE_VELOCITY:
      poet_velocity_update_f32(&velocity, value.data(), gradient.data(), second, &step, nullptr,
                               made.data());
      break;
    case POET_UPDATE_NESTEROV:
      poet_nesterov_update_f32(&nesterov, value.data(), second, gradient.data(), &step, nullptr,
                               made.data());
      break;
    case POET_UPDATE_FIRST_MOMENT:
      poet_first_moment_update_f32(&moment, value.data(), gradient.data(), second, nullptr,
                                   made.data());
      break;
    default:
      poet_second_moment_update_f32(&moment, value.data(), gradient.data(), second, nullptr,
                                    made.data());
      break;
  }
  return made;
}

std::size_t volume(const std::int32_t (&extents)[3]) {
  return static_cast<std::size_t>(extents[0]) * extents[1] * extents[2];
}

// All convolutions of a small picture whose window has a place, with these channels and groups.
std::vector<poet_conv_shape> convolutions(std::int32_t in_channels, std::int32_t out_channels,
                                          std::int32_t groups) {
  std::vector<poet_conv_shape> shapes;
  for (const std::int32_t kernel : {1, 2, 3, 5})
    for (const std::int32_t stride : {1, 2, 3})
      for (const std::int32_t dilation : {1, 2})
        for (const std::int32_t padding : {-1, 0, 2}) {
          poet_conv_shape shape = {
              2,         in_channels,    out_channels,   groups,           {1, 6, 9},
              {1, 0, 0}, {1, kernel, 3}, {1, stride, 1}, {1, dilation, 1}, {0, padding, 1}};
          bool has_places = true;
          for (int d = 1; d < 3; ++d) {
            const std::int32_t reach = (shape.kernel[d] - 1) * shape.dilation[d] + 1;
            const std::int32_t free = shape.input[d] + 2 * shape.padding[d] - reach;
            has_places = has_places && free >= 0;
            shape.output[d] = free / shape.stride[d] + 1;
          }
          if (has_places) shapes.push_back(shape);
        }
  return shapes;
}

struct ConvArrays {
  explicit ConvArrays(const poet_conv_shape& shape)
      : x(arbitrary_values(shape.batch * shape.in_channels * volume(shape.input), 1)),
        dy(arbitrary_values(shape.batch * shape.out_channels * volume(shape.output), 2)),
        value(arbitrary_values(
            shape.out_channels * (shape.in_channels / shape.groups) * volume(shape.kernel), 3)),
        other(arbitrary_values(value.size(), 4)),
        gradient(value.size(), 99) {
    poet_conv_weight_gradient_f32(&shape, x.data(), dy.data(), gradient.data());
  }
  Values x, dy, value, other, gradient;
};

// In place, and with a workspace of exactly the rows that it may use.
Values sliced(const poet_conv_shape& shape, std::int32_t slice_rows, const UpdateCase& update,
              const ConvArrays& arrays) {
  const poet_conv_weight_update_shape call = {shape, slice_rows, update.rule};
  const poet_step_words step = step_of(update);
  Values value = arrays.value;
  Values workspace(static_cast<std::size_t>(slice_rows) * value.size() / shape.out_channels, 99);
  poet_conv_weight_update_f32(&call, value.data(), arrays.x.data(), arrays.dy.data(),
                              update.has_other ? arrays.other.data() : nullptr, &step, value.data(),
                              workspace.data());
  return value;
}

class EveryUpdate : public ::testing::TestWithParam<UpdateCase> {};

TEST_P(EveryUpdate, OfAConvolutionIsThatOfItsWholeGradientToTheBit) {
  constexpr std::int32_t kChannels[][3] = {{3, 7, 1}, {4, 10, 2}, {5, 5, 5}, {3, 6, 3}, {1, 1, 1}};
  for (const auto& channels : kChannels)
    for (const poet_conv_shape& shape : convolutions(channels[0], channels[1], channels[2])) {
      const ConvArrays arrays(shape);
      const Values expected = updated(GetParam(), arrays.value, arrays.other, arrays.gradient);
      for (const std::int32_t slice_rows : {1, 3, 4, 100}) {
        const std::int32_t rows = std::min(slice_rows, shape.out_channels);
        ASSERT_EQ(sliced(shape, rows, GetParam(), arrays), expected)
            << shape.out_channels << " rows in slices of " << rows << ", kernel " << shape.kernel[1]
            << ", stride " << shape.stride[1] << ", dilation " << shape.dilation[1] << ", padding "
            << shape.padding[1];
      }
    }
}

// a (inner, rows) as it lies, or turned; b (inner, columns) as it lies, or turned.
poet_matmul_shape product(std::int32_t rows, std::int32_t columns, std::int32_t inner,
                          bool a_turned, bool b_turned) {
  poet_matmul_shape shape = {};
  shape.rows = rows;
  shape.columns = columns;
  shape.inner = inner;
  shape.a_row_stride = a_turned ? inner : 1;
  shape.a_inner_stride = a_turned ? 1 : rows;
  shape.b_inner_stride = b_turned ? 1 : columns;
  shape.b_column_stride = b_turned ? inner : 1;
  shape.alpha = 0.75F;
  return shape;
}

// As the gradient of a weight that meets two batches has it.
void sum_over_two(poet_matmul_shape& shape) {
  shape.sum_rank = 1;
  shape.sum_extents[0] = 2;
  shape.a_sum_strides[0] = shape.rows * shape.inner;
  shape.b_sum_strides[0] = shape.columns * shape.inner;
}

std::vector<poet_matmul_shape> products() {
  std::vector<poet_matmul_shape> shapes;
  for (const auto& [rows, columns] :
       std::vector<std::pair<std::int32_t, std::int32_t>>{{1, 1}, {5, 3}, {3, 17}, {23, 9}, {9, 7}})
    for (const std::int32_t inner : {1, 5, 70})
      for (const bool a_turned : {false, true})
        for (const bool b_turned : {false, true}) {
          shapes.push_back(product(rows, columns, inner, a_turned, b_turned));
          sum_over_two(shapes.emplace_back(shapes.back()));
        }
  return shapes;
}

TEST_P(EveryUpdate, OfAProductIsThatOfItsWholeGradientToTheBit) {
  const poet_step_words step = step_of(GetParam());
  for (const poet_matmul_shape& shape : products()) {
    const Values a = arbitrary_values(2 * shape.rows * shape.inner, 1);
    const Values b = arbitrary_values(2 * shape.inner * shape.columns, 2);
    const Values value = arbitrary_values(shape.rows * shape.columns, 3);
    const Values other = arbitrary_values(value.size(), 4);
    Values gradient(value.size(), 99);
    poet_matmul_forward_f32(&shape, a.data(), b.data(), nullptr, gradient.data());
    const Values expected = updated(GetParam(), value, other, gradient);
    for (const std::int32_t slice_rows : {1, 4, 7, 100}) {
      const std::int32_t rows = std::min(slice_rows, shape.rows);
      const poet_matmul_weight_update_shape call = {shape, rows, GetParam().rule};
      Values made = value;
      Values workspace(static_cast<std::size_t>(rows) * shape.columns, 99);
      poet_matmul_weight_update_f32(&call, made.data(), a.data(), b.data(),
                                    GetParam().has_other ? other.data() : nullptr, &step,
                                    made.data(), workspace.data());
      ASSERT_EQ(made, expected) << shape.rows << " x " << shape.columns << " of " << shape.inner
                                << " in slices of " << rows;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, EveryUpdate, ::testing::ValuesIn(update_cases()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace poet
