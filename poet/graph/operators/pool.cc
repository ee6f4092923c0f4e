#include <fmt/format.h>

#include <algorithm>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/window.h"
#include "poet/runtime/pool.h"

// Pools. A window as large as the picture pools globally.

namespace poet {
namespace {

const WindowAttributes& window_of(const OperationTypes& types) {
  return std::get<WindowAttributes>(types.attributes);
}

// A window of padding alone has no maximum and no mean. One that reaches further than its padding
// does so in steps of its dilation, and does not miss a picture as large as those.
bool finds_a_value(const WindowAttributes& window, const Shape& picture, std::size_t d) {
  const std::int64_t dilation = window.dilation[d];
  if (dilation <= picture[d]) return true;
  for (std::int64_t before = window.padding_begin[d]; before > 0; before -= window.stride[d]) {
    const std::int64_t skipped = (before + dilation - 1) / dilation;
    if (skipped >= window.kernel[d] || skipped * dilation - before >= picture[d]) return false;
  }
  return true;
}

Failure check_padding(const WindowAttributes& window, const Shape& picture) {
  for (std::size_t d = 0; d < picture.size(); ++d)
    if (std::max(window.padding_begin[d], window.padding_end[d]) >= reach(window, d) ||
        !finds_a_value(window, picture, d))
      return bad_input(
          fmt::format("a window of spatial dimension {} would lie in the padding alone", d));
  return std::nullopt;
}

Result<std::vector<TensorType>> pool_output(const OperationTypes& types) {
  if (!std::holds_alternative<WindowAttributes>(types.attributes))
    return wrong_attributes("window");
  if (Failure failure = demand_float32(types)) return *failure;
  const WindowAttributes& window = window_of(types);
  const TensorType& x = types.inputs[0];
  if (Failure failure = check_window(window, x)) return *failure;
  if (window.groups != 1 || !window.output_padding.empty())
    return bad_input("groups and output_padding are for convolutions");
  if (window.counts_padding && types.kind == Operator::MaxPool)
    return bad_input("counts_padding is for average_pool");
  const Shape picture = spatial_extents(x);
  const Result<Shape> extents = window_places(window, picture);
  if (!extents.ok()) return extents.error();
  if (Failure failure = check_padding(window, picture)) return *failure;
  const Shape y = picture_shape(x.shape[0], x.shape[1], *extents);
  Shape factors = y;
  factors.insert(factors.end(), window.kernel.begin(), window.kernel.end());
  if (Failure failure = demand_countable_work(factors)) return *failure;
  return std::vector<TensorType>{{ElementType::Float32, y}};
}

// How often a value of a window meets its place, padding included; `places` is y or its gradient.
std::int64_t meetings(const OperationTypes& types, const TensorType& places) {
  return value_count(places.shape) * value_count(window_of(types).kernel);
}

// A comparison for each value of each window.
std::int64_t max_flop(const OperationTypes& types) {
  return meetings(types, types.outputs[0]);
}

// The comparisons again, to find the place, and an addition for each value of dy.
std::int64_t max_gradient_flop(const OperationTypes& types) {
  return meetings(types, types.inputs[1]) + value_count(types.inputs[1].shape);
}

// An addition for each value of each window, and a division.
std::int64_t average_flop(const OperationTypes& types) {
  return meetings(types, types.outputs[0]) + value_count(types.outputs[0].shape);
}

std::int64_t average_gradient_flop(const OperationTypes& types) {
  return meetings(types, types.inputs[0]) + value_count(types.inputs[0].shape);
}

std::vector<GradientPart> max_gradient(const OperationTypes& types) {
  return {{.kind = Operator::MaxPoolGradient,
           .attributes = types.attributes,
           .operands = {ForwardInput{0}, OutputGradient{0}},
           .of_inputs = {0}}};
}

std::vector<GradientPart> average_gradient(const OperationTypes& types) {
  return {{.kind = Operator::AveragePoolGradient,
           .attributes = types.attributes,
           .operands = {OutputGradient{0}},
           .of_inputs = {0}}};
}

// `picture` is x or its gradient, `places` y or its gradient.
std::vector<KernelWord> shape_words(const OperationTypes& types, const TensorType& picture,
                                    const TensorType& places) {
  const WindowAttributes& window = window_of(types);
  KernelWords words;
  words.integer("planes", picture.shape[0] * picture.shape[1]);
  add_spatial(words, "input", spatial_extents(picture), 1);
  add_spatial(words, "output", spatial_extents(places), 1);
  add_spatial(words, "window", window.kernel, 1);
  add_spatial(words, "stride", window.stride, 1);
  add_spatial(words, "dilation", window.dilation, 1);
  add_spatial(words, "padding_begin", window.padding_begin, 0);
  add_spatial(words, "padding_end", window.padding_end, 0);
  words.integer("counts_padding", window.counts_padding ? 1 : 0);
  return words.take();
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = types.kind == Operator::MaxPool ? POET_KERNEL(poet_max_pool_forward_f32)
                                                      : POET_KERNEL(poet_average_pool_forward_f32),
          .shape = shape_words(types, types.inputs[0], types.outputs[0]),
          .inputs = {0},
          .outputs = {0}};
}

KernelCall max_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_max_pool_gradient_f32),
          .shape = shape_words(types, types.outputs[0], types.inputs[1]),
          .inputs = {0, 1},
          .outputs = {0}};
}

KernelCall average_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_average_pool_gradient_f32),
          .shape = shape_words(types, types.outputs[0], types.inputs[0]),
          .inputs = {0},
          .outputs = {0}};
}

// Plane by plane.
std::int64_t plane_bytes(const KernelCall& call, std::string_view extents) {
  return kFloatBytes * product_in(call, extents, 0, 3);
}

Division forward_planes(const KernelCall& call) {
  return {.along = "planes",
          .input_steps_bytes = {plane_bytes(call, "input")},
          .output_steps_bytes = {plane_bytes(call, "output")}};
}

Division max_gradient_planes(const KernelCall& call) {
  const std::int64_t x_bytes = plane_bytes(call, "input");
  return {.along = "planes",
          .input_steps_bytes = {x_bytes, plane_bytes(call, "output")},
          .output_steps_bytes = {x_bytes}};
}

Division average_gradient_planes(const KernelCall& call) {
  Division division = forward_planes(call);
  std::swap(division.input_steps_bytes, division.output_steps_bytes);
  return division;
}

}  // namespace

std::vector<OperatorEntry> pool_operators() {
  return {{.id = Operator::MaxPool,
           .name = "max_pool",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = pool_output,
           .flop = max_flop,
           .gradient = max_gradient,
           .kernel = forward_call,
           .divides = forward_planes,
           .parts = InParts{.axes = pool_axes, .part = pool_part},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("MaxPool", 1),
           .drawn = DrawnAs::Layer},
          {.id = Operator::MaxPoolGradient,
           .name = "max_pool_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = max_gradient_flop,
           .gradient = nullptr,
           .kernel = max_gradient_call,
           .divides = max_gradient_planes,
           .parts = InParts{pool_gradient_axes},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx},
          {.id = Operator::AveragePool,
           .name = "average_pool",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = pool_output,
           .flop = average_flop,
           .gradient = average_gradient,
           .kernel = forward_call,
           .divides = forward_planes,
           .parts = InParts{.axes = pool_axes, .part = pool_part},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("AveragePool", 1),
           .drawn = DrawnAs::Layer},
          {.id = Operator::AveragePoolGradient,
           .name = "average_pool_gradient",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = average_gradient_flop,
           .gradient = nullptr,
           .kernel = average_gradient_call,
           .divides = average_gradient_planes,
           .parts = InParts{pool_gradient_axes},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx}};
}

}  // namespace poet
