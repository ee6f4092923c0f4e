#include <fmt/format.h>

#include <algorithm>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/window.h"
#include "poet/runtime/conv.h"

// Convolution and transposed convolution, which is the gradient of a convolution by its input: the
// same kernels with the roles of input and output swapped.

namespace poet {
namespace {

const WindowAttributes& window_of(const OperationTypes& types) {
  return std::get<WindowAttributes>(types.attributes);
}

// What both operators demand. The weights are (of x's channels or the output's, the other's per
// group, kernel...).
Failure check_inputs(const OperationTypes& types) {
  if (!std::holds_alternative<WindowAttributes>(types.attributes))
    return wrong_attributes("window");
  if (Failure failure = demand_float32(types)) return failure;
  const WindowAttributes& window = window_of(types);
  const TensorType& x = types.inputs[0];
  const TensorType& weights = types.inputs[1];
  if (Failure failure = check_window(window, x)) return failure;
  if (weights.shape.size() != x.shape.size())
    return bad_input(fmt::format("the weights must have as many dimensions as the input {}, not {}",
                                 to_text(x.shape), to_text(weights.shape)));
  if (spatial_extents(weights) != window.kernel)
    return bad_input(fmt::format("the kernel {} is not that of the weights, {}",
                                 to_text(window.kernel), to_text(weights.shape)));
  if (window.groups < 1 || window.groups > kMaxValues)
    return bad_input(fmt::format("groups must be from 1 to {}, not {}", kMaxValues, window.groups));
  if (window.round_up || window.counts_padding)
    return bad_input("round_up and counts_padding are for pools");
  return std::nullopt;
}

Failure check_divides(std::int64_t groups, std::int64_t channels, std::string_view whose) {
  if (channels % groups == 0) return std::nullopt;
  return bad_input(
      fmt::format("{} groups do not divide the {} channels of {}", groups, channels, whose));
}

Failure check_bias(const OperationTypes& types, std::int64_t channels) {
  if (types.inputs.size() < 3) return std::nullopt;
  return require_type(types.inputs[2], {ElementType::Float32, {channels}}, "the bias");
}

// Every weight of one channel of `places` meets every value of `places`.
Failure check_work(const Shape& places, const Shape& weights) {
  Shape factors = places;
  factors.insert(factors.end(), weights.begin() + 1, weights.end());
  return demand_countable_work(factors);
}

// x (N, C, ...), weights (M, C / groups, kernel...), bias (M) to (N, M, ...).
Result<std::vector<TensorType>> conv_output(const OperationTypes& types) {
  if (Failure failure = check_inputs(types)) return *failure;
  const WindowAttributes& window = window_of(types);
  const Shape& x = types.inputs[0].shape;
  const Shape& weights = types.inputs[1].shape;
  if (!window.output_padding.empty()) return bad_input("output_padding is for conv_transpose");
  if (Failure failure = check_divides(window.groups, x[1], "the input")) return *failure;
  if (Failure failure = check_divides(window.groups, weights[0], "the output")) return *failure;
  if (weights[1] != x[1] / window.groups)
    return bad_input(fmt::format("the weights {} are for {} channels in a group, the input has {}",
                                 to_text(weights), weights[1], x[1] / window.groups));
  if (Failure failure = check_bias(types, weights[0])) return *failure;
  const Result<Shape> extents = window_places(window, spatial_extents(types.inputs[0]));
  if (!extents.ok()) return extents.error();
  const Shape y = picture_shape(x[0], weights[0], *extents);
  if (Failure failure = check_work(y, weights)) return *failure;
  return std::vector<TensorType>{{ElementType::Float32, y}};
}

std::int64_t output_padding(const WindowAttributes& window, std::size_t dimension) {
  return window.output_padding.empty() ? 0 : window.output_padding[dimension];
}

// The spatial extents of which a convolution with this window makes those of x.
Result<Shape> transposed_extents(const WindowAttributes& window, const Shape& x) {
  Shape extents;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const std::int64_t covered =
        window.stride[d] * (x[d] - 1) + reach(window, d) + output_padding(window, d);
    const std::int64_t extent = covered - window.padding_begin[d] - window.padding_end[d];
    if (extent < 1)
      return bad_input(fmt::format("the padding leaves nothing of spatial dimension {}", d));
    if (Failure failure = check_moves(window, d, covered)) return *failure;
    extents.push_back(extent);
  }
  return extents;
}

Failure check_output_padding(const WindowAttributes& window) {
  if (window.output_padding.empty()) return std::nullopt;
  if (Failure failure =
          demand_list(window.output_padding, {"output_padding", window.kernel.size(), 0}))
    return failure;
  for (std::size_t d = 0; d < window.kernel.size(); ++d)
    if (window.output_padding[d] >= std::max(window.stride[d], window.dilation[d]))
      return bad_input(fmt::format(
          "output_padding {} of spatial dimension {} must be less than its stride or dilation",
          window.output_padding[d], d));
  return std::nullopt;
}

// x (N, C, ...), weights (C, M / groups, kernel...), bias (M) to (N, M, ...).
Result<std::vector<TensorType>> conv_transpose_output(const OperationTypes& types) {
  if (Failure failure = check_inputs(types)) return *failure;
  const WindowAttributes& window = window_of(types);
  const Shape& x = types.inputs[0].shape;
  const Shape& weights = types.inputs[1].shape;
  if (Failure failure = check_output_padding(window)) return *failure;
  if (Failure failure = check_divides(window.groups, x[1], "the input")) return *failure;
  if (weights[0] != x[1])
    return bad_input(fmt::format("the weights {} are for {} channels, the input has {}",
                                 to_text(weights), weights[0], x[1]));
  const std::int64_t channels = weights[1] * window.groups;
  if (Failure failure = check_bias(types, channels)) return *failure;
  const Result<Shape> extents = transposed_extents(window, spatial_extents(types.inputs[0]));
  if (!extents.ok()) return extents.error();
  const Shape y = picture_shape(x[0], channels, *extents);
  if (Failure failure = check_work(x, weights)) return *failure;
  return std::vector<TensorType>{{ElementType::Float32, y}};
}

// The convolution at the bottom of each operator: `picture` goes in, `places` come out, also where
// the operator goes the other way.
struct Roles {
  const TensorType& picture;
  const TensorType& places;
  const TensorType& weights;
};

Roles roles_of(const OperationTypes& types) {
  const std::vector<TensorType>& in = types.inputs;
  const std::vector<TensorType>& out = types.outputs;
  switch (types.kind) {
    case Operator::ConvInputGradient:
      return {out[0], in[0], in[1]};
    case Operator::ConvWeightGradient:
      return {in[0], in[1], out[0]};
    case Operator::ConvTranspose:
      return {out[0], in[0], in[1]};
    case Operator::ConvTransposeInputGradient:
      return {in[0], out[0], in[1]};
    case Operator::ConvTransposeWeightGradient:
      return {in[1], in[0], out[0]};
    default:
      return {in[0], out[0], in[1]};
  }
}

// A multiply-add for each place, value of the window and channel of a group, values that lie in the
// padding included, as published tables count; and an addition for each value of the output where
// there is a bias.
std::int64_t flop(const OperationTypes& types) {
  const Roles roles = roles_of(types);
  const std::int64_t window = value_count(roles.weights.shape) / roles.weights.shape[0];
  const std::int64_t bias = types.inputs.size() == 3 ? value_count(types.outputs[0].shape) : 0;
  return 2 * value_count(roles.places.shape) * window + bias;
}

std::int64_t bias_gradient_flop(const OperationTypes& types) {
  return value_count(types.inputs[0].shape);
}

GradientPart bias_part(const OperationTypes& types) {
  return {.kind = Operator::ConvBiasGradient,
          .attributes = types.attributes,
          .operands = {OutputGradient{0}},
          .of_inputs = {2}};
}

std::vector<GradientPart> gradient(const OperationTypes& types, Operator by_input,
                                   Operator by_weights) {
  std::vector<GradientPart> parts{{.kind = by_input,
                                   .attributes = types.attributes,
                                   .operands = {OutputGradient{0}, ForwardInput{1}},
                                   .of_inputs = {0}},
                                  {.kind = by_weights,
                                   .attributes = types.attributes,
                                   .operands = {ForwardInput{0}, OutputGradient{0}},
                                   .of_inputs = {1}}};
  if (types.inputs.size() == 3) parts.push_back(bias_part(types));
  return parts;
}

std::vector<GradientPart> conv_gradient(const OperationTypes& types) {
  return gradient(types, Operator::ConvInputGradient, Operator::ConvWeightGradient);
}

std::vector<GradientPart> conv_transpose_gradient(const OperationTypes& types) {
  return gradient(types, Operator::ConvTransposeInputGradient,
                  Operator::ConvTransposeWeightGradient);
}

std::vector<KernelWord> shape_words(const OperationTypes& types) {
  const Roles roles = roles_of(types);
  const WindowAttributes& window = window_of(types);
  KernelWords words;
  words.integer("batch", roles.picture.shape[0])
      .integer("in_channels", roles.picture.shape[1])
      .integer("out_channels", roles.places.shape[1])
      .integer("groups", window.groups);
  add_spatial(words, "input", spatial_extents(roles.picture), 1);
  add_spatial(words, "output", spatial_extents(roles.places), 1);
  add_spatial(words, "kernel", window.kernel, 1);
  add_spatial(words, "stride", window.stride, 1);
  add_spatial(words, "dilation", window.dilation, 1);
  add_spatial(words, "padding", window.padding_begin, 0);
  return words.take();
}

// The kernel only looks at the shape of dy: it is told of a convolution that copies.
std::vector<KernelWord> bias_shape_words(const TensorType& dy) {
  const Shape extents = spatial_extents(dy);
  KernelWords words;
  words.integer("batch", dy.shape[0])
      .integer("in_channels", dy.shape[1])
      .integer("out_channels", dy.shape[1])
      .integer("groups", dy.shape[1]);
  add_spatial(words, "input", extents, 1);
  add_spatial(words, "output", extents, 1);
  for (const std::string_view field : {"kernel", "stride", "dilation"})
    add_spatial(words, field, {}, 1);
  add_spatial(words, "padding", {}, 0);
  return words.take();
}

std::optional<int> bias_of(const OperationTypes& types) {
  return types.inputs.size() == 3 ? std::optional<int>{2} : std::nullopt;
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_conv_forward_f32),
          .shape = shape_words(types),
          .inputs = {0, 1, bias_of(types)},
          .outputs = {0}};
}

KernelCall input_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_conv_input_gradient_f32),
          .shape = shape_words(types),
          .inputs = {0, 1, bias_of(types)},
          .outputs = {0}};
}

KernelCall weight_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_conv_weight_gradient_f32),
          .shape = shape_words(types),
          .inputs = {0, 1},
          .outputs = {0}};
}

// dy is the input of a convolution here, and x its output.
KernelCall transpose_weight_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_conv_weight_gradient_f32),
          .shape = shape_words(types),
          .inputs = {1, 0},
          .outputs = {0}};
}

KernelCall bias_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_conv_bias_gradient_f32),
          .shape = bias_shape_words(types.inputs[0]),
          .inputs = {0},
          .outputs = {0}};
}

// One sample after the other, of x and y as the convolution has them.
std::int64_t sample_bytes(const KernelCall& call, std::string_view channels,
                          std::string_view extents) {
  return kFloatBytes * whole_in(call, channels) * product_in(call, extents, 0, 3);
}

Division forward_samples(const KernelCall& call) {
  return {.along = "batch",
          .input_steps_bytes = {sample_bytes(call, "in_channels", "input"), 0, 0},
          .output_steps_bytes = {sample_bytes(call, "out_channels", "output")}};
}

Division backward_samples(const KernelCall& call) {
  return {.along = "batch",
          .input_steps_bytes = {sample_bytes(call, "out_channels", "output"), 0, 0},
          .output_steps_bytes = {sample_bytes(call, "in_channels", "input")}};
}

InParts conv_in_parts(Operator continued) {
  return {.axes = conv_axes, .continued = continued, .part = conv_part};
}

}  // namespace

std::vector<OperatorEntry> conv_operators() {
  return {{.id = Operator::Conv,
           .name = "conv",
           .least_inputs = 2,
           .most_inputs = 3,
           .roles = kBiasIsThird,
           .output_types = conv_output,
           .flop = flop,
           .gradient = conv_gradient,
           .kernel = forward_call,
           .divides = forward_samples,
           .parts = conv_in_parts(Operator::ConvContinued),
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Conv", 1),
           .drawn = DrawnAs::Layer},
          {.id = Operator::ConvInputGradient,
           .name = "conv_input_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = flop,
           .gradient = nullptr,
           .kernel = input_gradient_call,
           .divides = backward_samples,
           .parts = conv_in_parts(Operator::ConvInputGradientContinued),
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx},
          {.id = Operator::ConvWeightGradient,
           .name = "conv_weight_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = flop,
           .gradient = nullptr,
           .kernel = weight_gradient_call,
           .divides = nullptr,
           .parts = conv_in_parts(Operator::ConvWeightGradientContinued),
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx},
          {.id = Operator::ConvBiasGradient,
           .name = "conv_bias_gradient",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = bias_gradient_flop,
           .gradient = nullptr,
           .kernel = bias_gradient_call,
           .divides = nullptr,
           .parts = InParts{conv_bias_axes, Operator::ConvBiasGradientContinued},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx},
          {.id = Operator::ConvTranspose,
           .name = "conv_transpose",
           .least_inputs = 2,
           .most_inputs = 3,
           .roles = kBiasIsThird,
           .output_types = conv_transpose_output,
           .flop = flop,
           .gradient = conv_transpose_gradient,
           .kernel = input_gradient_call,
           .divides = backward_samples,
           .parts = conv_in_parts(Operator::ConvTransposeContinued),
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("ConvTranspose", 1),
           .drawn = DrawnAs::Layer},
          {.id = Operator::ConvTransposeInputGradient,
           .name = "conv_transpose_input_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = flop,
           .gradient = nullptr,
           .kernel = forward_call,
           .divides = forward_samples,
           .parts = conv_in_parts(Operator::ConvTransposeInputGradientContinued),
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx},
          {.id = Operator::ConvTransposeWeightGradient,
           .name = "conv_transpose_weight_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = flop,
           .gradient = nullptr,
           .kernel = transpose_weight_gradient_call,
           .divides = nullptr,
           .parts = conv_in_parts(Operator::ConvTransposeWeightGradientContinued),
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx}};
}

}  // namespace poet
