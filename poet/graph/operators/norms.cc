#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/batch_norm.h"
#include "poet/runtime/group_norm.h"
#include "poet/runtime/layer_norm.h"

// Norms. Forward operators hand their statistics on, so that gradients need not take them again; a
// gradient reads the input, not the output.

namespace poet {
namespace {

const NormAttributes& attributes_of(const OperationTypes& types) {
  return std::get<NormAttributes>(types.attributes);
}

Failure demand_epsilon(float epsilon) {
  if (std::isfinite(epsilon) && epsilon >= 0) return std::nullopt;
  return bad_input(fmt::format("epsilon must be a number of at least 0, not {}", epsilon));
}

Failure check_norm(const OperationTypes& types) {
  if (!std::holds_alternative<NormAttributes>(types.attributes)) return wrong_attributes("norm");
  if (Failure failure = demand_float32(types)) return failure;
  return demand_epsilon(attributes_of(types).epsilon);
}

// Of x (N, C, ...).
Failure demand_channels(const TensorType& x) {
  if (x.shape.size() >= 2) return std::nullopt;
  return bad_input(fmt::format("takes (N, C, ...), not {}", to_text(x.shape)));
}

TensorType float32(const Shape& shape) {
  return {ElementType::Float32, shape};
}

// All inputs after the first have this shape.
Failure demand_shapes(const OperationTypes& types, const Shape& shape,
                      const std::vector<std::string_view>& names) {
  for (std::size_t i = 1; i < types.inputs.size(); ++i)
    if (Failure failure = require_type(types.inputs[i], float32(shape), names[i - 1]))
      return failure;
  return std::nullopt;
}

// Scale and bias: both, or none of the two.
Failure demand_pair(const OperationTypes& types, const Shape& shape) {
  if (types.inputs.size() == 2) return bad_input("takes a scale and a bias, or neither");
  return demand_shapes(types, shape, {"the scale", "the bias"});
}

// x (N, C, ...), scale (C), bias (C) to y like x, mean (C), inverse_std (C).
Result<std::vector<TensorType>> batch_norm_output(const OperationTypes& types) {
  if (Failure failure = check_norm(types)) return *failure;
  const TensorType& x = types.inputs[0];
  if (Failure failure = demand_channels(x)) return *failure;
  const Shape channels{x.shape[1]};
  if (Failure failure = demand_shapes(types, channels, {"the scale", "the bias"})) return *failure;
  return std::vector<TensorType>{x, float32(channels), float32(channels)};
}

// x (N, C, ...), scale, bias, running_mean, running_variance (C) to y like x.
Result<std::vector<TensorType>> batch_norm_inference_output(const OperationTypes& types) {
  if (Failure failure = check_norm(types)) return *failure;
  const TensorType& x = types.inputs[0];
  if (Failure failure = demand_channels(x)) return *failure;
  if (Failure failure =
          demand_shapes(types, {x.shape[1]},
                        {"the scale", "the bias", "the running mean", "the running variance"}))
    return *failure;
  return std::vector<TensorType>{x};
}

// running_mean, running_variance, mean, inverse_std, all (C), to the first two anew.
Result<std::vector<TensorType>> running_statistics_output(const OperationTypes& types) {
  if (!std::holds_alternative<RunningAttributes>(types.attributes))
    return wrong_attributes("running statistic");
  if (Failure failure = demand_float32(types)) return *failure;
  const auto& attributes = std::get<RunningAttributes>(types.attributes);
  if (Failure failure = demand_epsilon(attributes.epsilon)) return *failure;
  if (!(attributes.rate >= 0 && attributes.rate <= 1))
    return bad_input(fmt::format("the rate must be from 0 to 1, not {}", attributes.rate));
  const std::int64_t least = attributes.unbiased ? 2 : 1;
  if (attributes.count < least || attributes.count > kMaxValues)
    return bad_input(fmt::format("takes statistics of {} to {} values{}, not {}", least, kMaxValues,
                                 attributes.unbiased ? " for an unbiased variance" : "",
                                 attributes.count));
  const TensorType& mean = types.inputs[0];
  if (mean.shape.size() != 1)
    return bad_input(fmt::format("takes statistics (C), not {}", to_text(mean.shape)));
  if (Failure failure =
          demand_shapes(types, mean.shape, {"the running variance", "the mean", "inverse_std"}))
    return *failure;
  return std::vector<TensorType>{mean, mean};
}

// x (rows..., from axis on: features...), scale and bias (features...) to y like x, mean (rows...),
// inverse_std (rows...).
Result<std::vector<TensorType>> layer_norm_output(const OperationTypes& types) {
  if (Failure failure = check_norm(types)) return *failure;
  const TensorType& x = types.inputs[0];
  const std::int64_t axis = attributes_of(types).axis;
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  if (axis < 0 || axis >= rank)
    return bad_input(
        fmt::format("axis {} is not a dimension of the input {}", axis, to_text(x.shape)));
  const Shape rows(x.shape.begin(), x.shape.begin() + axis);
  const Shape features(x.shape.begin() + axis, x.shape.end());
  if (Failure failure = demand_pair(types, features)) return *failure;
  return std::vector<TensorType>{x, float32(rows), float32(rows)};
}

// x (N, C, ...), scale and bias (C) to y like x, mean (N, groups), inverse_std (N, groups).
Result<std::vector<TensorType>> group_norm_output(const OperationTypes& types) {
  if (Failure failure = check_norm(types)) return *failure;
  const TensorType& x = types.inputs[0];
  if (Failure failure = demand_channels(x)) return *failure;
  const std::int64_t groups = attributes_of(types).groups;
  if (groups < 1 || x.shape[1] % groups != 0)
    return bad_input(fmt::format("{} groups do not divide {} channels", groups, x.shape[1]));
  if (Failure failure = demand_pair(types, {x.shape[1]})) return *failure;
  const TensorType statistic = float32({x.shape[0], groups});
  return std::vector<TensorType>{x, statistic, statistic};
}

std::int64_t values(const OperationTypes& types) {
  return value_count(types.inputs[0].shape);
}

bool is_scaled(const OperationTypes& types, std::size_t inputs_without) {
  return types.inputs.size() > inputs_without;
}

// For each value: 1 for the mean, 3 for the variance, 3 for the output. For each channel: two
// divisions by the count, an addition of epsilon, a root, a reciprocal and the scaling of that.
std::int64_t batch_norm_flop(const OperationTypes& types) {
  return 7 * values(types) + 6 * value_count(types.outputs[1].shape);
}

// For each value: 1 for the gradient of the bias, 3 for that of the scale, 5 for its own. For each
// channel: 5 for what is the same for all its values.
std::int64_t batch_norm_gradient_flop(const OperationTypes& types) {
  return 9 * values(types) + 5 * value_count(types.inputs[1].shape);
}

// For each value 3. For each channel: an addition of epsilon, a root and a division.
std::int64_t inference_flop(const OperationTypes& types) {
  return 3 * values(types) + 3 * value_count(types.inputs[1].shape);
}

// For each value: 1 for the gradient of the bias, 3 for that of the scale, 1 for its own. For each
// channel: an addition of epsilon, a root, a reciprocal and two products with it.
std::int64_t inference_gradient_flop(const OperationTypes& types) {
  return 5 * values(types) + 5 * value_count(types.inputs[1].shape);
}

// For each channel: 3 for the mean, 4 for the variance of the batch from inverse_std, 1 to make it
// unbiased, 3 for the variance.
std::int64_t running_flop(const OperationTypes& types) {
  return (std::get<RunningAttributes>(types.attributes).unbiased ? 11 : 10) * values(types);
}

// For each value: 1 for the mean, 3 for the variance, 2 for the normalised value, 2 for scale and
// bias. For each row: two divisions by the count, an addition of epsilon, a root, a reciprocal.
std::int64_t layer_norm_flop(const OperationTypes& types) {
  return (is_scaled(types, 1) ? 8 : 6) * values(types) + 5 * value_count(types.outputs[1].shape);
}

// As for the layer norm, but that the scale meets inverse_std once for each channel of each sample.
std::int64_t group_norm_flop(const OperationTypes& types) {
  const Shape& x = types.inputs[0].shape;
  const std::int64_t rows = 5 * value_count(types.outputs[1].shape);
  return is_scaled(types, 1) ? 7 * values(types) + rows + x[0] * x[1] : 6 * values(types) + rows;
}

// For each value: 2 for the normalised one, 3 for the two sums, 4 for its own gradient; with a
// scale 1 for scaling, 1 for the gradient of the bias, 2 for that of the scale. For each row: two
// divisions by the count.
std::int64_t row_norm_gradient_flop(const OperationTypes& types) {
  const std::int64_t rows = value_count(types.inputs[1].shape);
  return (is_scaled(types, 4) ? 13 : 9) * values(types) + 2 * rows;
}

// By x from x, mean, inverse_std and dy; with a scale, which is read too, also by scale and bias.
std::vector<GradientPart> norm_gradient(const OperationTypes& types, Operator kind) {
  GradientPart part{
      .kind = kind,
      .attributes = types.attributes,
      .operands = {ForwardInput{0}, ForwardOutput{1}, ForwardOutput{2}, OutputGradient{0}},
      .of_inputs = {0}};
  if (!is_scaled(types, 1)) return {part};
  part.operands.push_back(ForwardInput{1});
  part.of_inputs = {0, 1, 2};
  return {part};
}

std::vector<GradientPart> batch_norm_gradient(const OperationTypes& types) {
  return norm_gradient(types, Operator::BatchNormGradient);
}

std::vector<GradientPart> layer_norm_gradient(const OperationTypes& types) {
  return norm_gradient(types, Operator::LayerNormGradient);
}

std::vector<GradientPart> group_norm_gradient(const OperationTypes& types) {
  return norm_gradient(types, Operator::GroupNormGradient);
}

// By x, scale and bias: the statistics are constants.
std::vector<GradientPart> inference_gradient(const OperationTypes& types) {
  return {{.kind = Operator::BatchNormInferenceGradient,
           .attributes = types.attributes,
           .operands = {ForwardInput{0}, ForwardInput{1}, ForwardInput{3}, ForwardInput{4},
                        OutputGradient{0}},
           .of_inputs = {0, 1, 2}}};
}

// Of x (N, C, ...): how many values of a channel follow each other.
std::int64_t pixels(const Shape& x) {
  return value_count(Shape(x.begin() + 2, x.end()));
}

std::vector<KernelWord> batch_norm_words(const OperationTypes& types) {
  const Shape& x = types.inputs[0].shape;
  KernelWords words;
  words.integer("batch", x[0])
      .integer("channels", x[1])
      .integer("pixels", pixels(x))
      .real("epsilon", attributes_of(types).epsilon)
      .real("momentum", 0)
      .integer("unbiased", 0)
      .integer("others", 0);
  return words.take();
}

KernelCall batch_norm_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_batch_norm_forward_f32),
          .shape = batch_norm_words(types),
          .inputs = {0, 1, 2},
          .outputs = {0, 1, 2}};
}

KernelCall batch_norm_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_batch_norm_gradient_f32),
          .shape = batch_norm_words(types),
          .inputs = {0, 4, 1, 2, 3},
          .outputs = {0, 1, 2}};
}

KernelCall inference_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_batch_norm_inference_forward_f32),
          .shape = batch_norm_words(types),
          .inputs = {0, 1, 2, 3, 4},
          .outputs = {0}};
}

KernelCall inference_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_batch_norm_inference_gradient_f32),
          .shape = batch_norm_words(types),
          .inputs = {0, 1, 2, 3, 4},
          .outputs = {0, 1, 2}};
}

// Of batch and pixels, the kernel only wants the product.
KernelCall running_call(const OperationTypes& types) {
  const auto& attributes = std::get<RunningAttributes>(types.attributes);
  KernelWords words;
  words.integer("batch", attributes.count)
      .integer("channels", types.inputs[0].shape[0])
      .integer("pixels", 1)
      .real("epsilon", attributes.epsilon)
      .real("momentum", attributes.rate)
      .integer("unbiased", attributes.unbiased ? 1 : 0)
      .integer("others", 0);
  return {.function = POET_KERNEL(poet_batch_norm_statistics_update_f32),
          .shape = words.take(),
          .inputs = {0, 1, 2, 3},
          .outputs = {0, 1}};
}

std::vector<KernelWord> layer_norm_words(const OperationTypes& types) {
  const Shape& x = types.inputs[0].shape;
  const auto axis = x.begin() + attributes_of(types).axis;
  KernelWords words;
  words.integer("rows", value_count(Shape(x.begin(), axis)))
      .integer("features", value_count(Shape(axis, x.end())))
      .real("epsilon", attributes_of(types).epsilon);
  return words.take();
}

std::vector<KernelWord> group_norm_words(const OperationTypes& types) {
  const Shape& x = types.inputs[0].shape;
  KernelWords words;
  words.integer("batch", x[0])
      .integer("channels", x[1])
      .integer("pixels", pixels(x))
      .integer("groups", attributes_of(types).groups)
      .real("epsilon", attributes_of(types).epsilon);
  return words.take();
}

// Layer and group norm, whose scale and bias may be missing.
KernelCall row_norm_call(const OperationTypes& types, Kernel function,
                         std::vector<KernelWord> words) {
  KernelCall call{.function = function,
                  .shape = std::move(words),
                  .inputs = {0, std::nullopt, std::nullopt},
                  .outputs = {0, 1, 2}};
  if (is_scaled(types, 1)) call.inputs = {0, 1, 2};
  return call;
}

KernelCall row_norm_gradient_call(const OperationTypes& types, Kernel function,
                                  std::vector<KernelWord> words) {
  KernelCall call{.function = function,
                  .shape = std::move(words),
                  .inputs = {0, std::nullopt, 1, 2, 3},
                  .outputs = {0, std::nullopt, std::nullopt}};
  if (!is_scaled(types, 4)) return call;
  call.inputs = {0, 4, 1, 2, 3};
  call.outputs = {0, 1, 2};
  return call;
}

KernelCall layer_norm_call(const OperationTypes& types) {
  return row_norm_call(types, POET_KERNEL(poet_layer_norm_forward_f32), layer_norm_words(types));
}

KernelCall layer_norm_gradient_call(const OperationTypes& types) {
  return row_norm_gradient_call(types, POET_KERNEL(poet_layer_norm_gradient_f32),
                                layer_norm_words(types));
}

KernelCall group_norm_call(const OperationTypes& types) {
  return row_norm_call(types, POET_KERNEL(poet_group_norm_forward_f32), group_norm_words(types));
}

KernelCall group_norm_gradient_call(const OperationTypes& types) {
  return row_norm_gradient_call(types, POET_KERNEL(poet_group_norm_gradient_f32),
                                group_norm_words(types));
}

// Channel by channel: arrays of pictures have all values, the others one for each channel.
Division along_channels(const KernelCall& call, const std::vector<bool>& input_is_picture) {
  const std::int64_t picture_bytes = kFloatBytes * whole_in(call, "pixels");
  Division division{.along = "channels", .repeats = whole_in(call, "batch"), .rest = "others"};
  for (const bool is_picture : input_is_picture)
    division.input_steps_bytes.push_back(is_picture ? picture_bytes : kFloatBytes);
  division.output_steps_bytes = {picture_bytes, kFloatBytes, kFloatBytes};
  division.output_steps_bytes.resize(call.outputs.size());
  return division;
}

Division along_channels_forward(const KernelCall& call) {
  std::vector<bool> is_picture(call.inputs.size(), false);
  is_picture[0] = true;
  return along_channels(call, is_picture);
}

Division along_channels_backward(const KernelCall& call) {
  return along_channels(call, {true, false, false, false, true});
}

Division along_rows(const KernelCall& call) {
  const std::int64_t row_bytes = kFloatBytes * whole_in(call, "features");
  return {.along = "rows",
          .input_steps_bytes = {row_bytes, 0, 0},
          .output_steps_bytes = {row_bytes, kFloatBytes, kFloatBytes}};
}

std::vector<OperatorEntry> batch_norm_rows() {
  return {{.id = Operator::BatchNorm,
           .name = "batch_norm",
           .least_inputs = 3,
           .most_inputs = 3,
           .roles = kNormInputs,
           .output_types = batch_norm_output,
           .flop = batch_norm_flop,
           .gradient = batch_norm_gradient,
           .kernel = batch_norm_call,
           .divides = along_channels_forward,
           .parts = InParts{channel_axes},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx,
           .in_place = {{0, 0}}},
          {.id = Operator::BatchNormGradient,
           .name = "batch_norm_gradient",
           .least_inputs = 5,
           .most_inputs = 5,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = batch_norm_gradient_flop,
           .gradient = nullptr,
           .kernel = batch_norm_gradient_call,
           .divides = along_channels_backward,
           .parts = InParts{channel_axes},
           .domain = kPositiveNumbers,
           .onnx = kNotInOnnx,
           .in_place = {{3, 0}, {0, 0}}},
          {.id = Operator::BatchNormInference,
           .name = "batch_norm_inference",
           .least_inputs = 5,
           .most_inputs = 5,
           .roles = kNormInputs,
           .output_types = batch_norm_inference_output,
           .flop = inference_flop,
           .gradient = inference_gradient,
           .kernel = inference_call,
           .divides = along_channels_forward,
           .parts = InParts{inference_norm_axes},
           .domain = kPositiveNumbers,
           .onnx = special_in_onnx("BatchNormalization", 1),
           .in_place = {{0, 0}}},
          {.id = Operator::BatchNormInferenceGradient,
           .name = "batch_norm_inference_gradient",
           .least_inputs = 5,
           .most_inputs = 5,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = inference_gradient_flop,
           .gradient = nullptr,
           .kernel = inference_gradient_call,
           .divides = along_channels_backward,
           .parts = InParts{channel_axes},
           .domain = kPositiveNumbers,
           .onnx = kNotInOnnx,
           .in_place = {{4, 0}, {0, 0}}},
          {.id = Operator::RunningStatistics,
           .name = "running_statistics",
           .least_inputs = 4,
           .most_inputs = 4,
           .roles = kPlainInputs,
           .output_types = running_statistics_output,
           .flop = running_flop,
           .gradient = nullptr,
           .kernel = running_call,
           .divides = nullptr,
           .parts = InParts{pointwise_axes},
           .domain = kPositiveNumbers,
           .onnx = kNotInOnnx,
           .once = true,
           .updates = {{0, 0}, {1, 1}}}};
}

}  // namespace

std::vector<OperatorEntry> norm_operators() {
  std::vector<OperatorEntry> rows = batch_norm_rows();
  rows.push_back({.id = Operator::LayerNorm,
                  .name = "layer_norm",
                  .least_inputs = 1,
                  .most_inputs = 3,
                  .roles = kNormInputs,
                  .output_types = layer_norm_output,
                  .flop = layer_norm_flop,
                  .gradient = layer_norm_gradient,
                  .kernel = layer_norm_call,
                  .divides = along_rows,
                  .parts = InParts{layer_norm_axes},
                  .domain = kAnyNumbers,
                  .onnx = special_in_onnx("LayerNormalization", 17),
                  .in_place = {{0, 0}}});
  rows.push_back({.id = Operator::LayerNormGradient,
                  .name = "layer_norm_gradient",
                  .least_inputs = 4,
                  .most_inputs = 5,
                  .roles = kPlainInputs,
                  .output_types = nullptr,
                  .flop = row_norm_gradient_flop,
                  .gradient = nullptr,
                  .kernel = layer_norm_gradient_call,
                  .divides = nullptr,
                  .parts = InParts{layer_norm_gradient_axes},
                  .domain = kPositiveNumbers,
                  .onnx = kNotInOnnx,
                  .in_place = {{3, 0}, {0, 0}}});
  rows.push_back({.id = Operator::GroupNorm,
                  .name = "group_norm",
                  .least_inputs = 1,
                  .most_inputs = 3,
                  .roles = kNormInputs,
                  .output_types = group_norm_output,
                  .flop = group_norm_flop,
                  .gradient = group_norm_gradient,
                  .kernel = group_norm_call,
                  .divides = nullptr,
                  .parts = InParts{group_norm_axes, {}, group_norm_part},
                  .domain = kAnyNumbers,
                  .onnx = special_in_onnx("InstanceNormalization", 1),
                  .in_place = {{0, 0}}});
  rows.push_back({.id = Operator::GroupNormGradient,
                  .name = "group_norm_gradient",
                  .least_inputs = 4,
                  .most_inputs = 5,
                  .roles = kPlainInputs,
                  .output_types = nullptr,
                  .flop = row_norm_gradient_flop,
                  .gradient = nullptr,
                  .kernel = group_norm_gradient_call,
                  .divides = nullptr,
                  .parts = InParts{group_norm_gradient_axes, {}, group_norm_part},
                  .domain = kPositiveNumbers,
                  .onnx = kNotInOnnx,
                  .in_place = {{3, 0}, {0, 0}}});
  return rows;
}

}  // namespace poet
