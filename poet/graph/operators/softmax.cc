#include <fmt/format.h>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/softmax.h"

// Softmax and its logarithm over one dimension. Gradients read the output, not the input.

namespace poet {
namespace {

std::int64_t axis_of(const OperationTypes& types) {
  return std::get<AxisAttributes>(types.attributes).axis;
}

Result<std::vector<TensorType>> output_types(const OperationTypes& types) {
  if (!std::holds_alternative<AxisAttributes>(types.attributes)) return wrong_attributes("softmax");
  if (Failure failure = demand_float32(types)) return *failure;
  const TensorType& x = types.inputs[0];
  if (axis_of(types) < 0 || axis_of(types) >= static_cast<std::int64_t>(x.shape.size()))
    return bad_input(fmt::format("axis {} is not a dimension of the input {}", axis_of(types),
                                 to_text(x.shape)));
  return std::vector<TensorType>{x};
}

std::int64_t values(const OperationTypes& types) {
  return value_count(types.inputs[0].shape);
}

std::int64_t axis_extent(const OperationTypes& types) {
  return types.inputs[0].shape[static_cast<std::size_t>(axis_of(types))];
}

// For each value: a comparison for the largest, a subtraction, an exponential, an addition to the
// sum and a division.
std::int64_t softmax_flop(const OperationTypes& types) {
  return 5 * values(types);
}

// For each value of y: a multiply-add for the sum of y dy, a subtraction and a multiplication.
std::int64_t softmax_gradient_flop(const OperationTypes& types) {
  return 4 * values(types);
}

// For each value: a comparison for the largest, a subtraction, an exponential, an addition to the
// sum and another subtraction. For each sum, a logarithm.
std::int64_t log_softmax_flop(const OperationTypes& types) {
  return 5 * values(types) + values(types) / axis_extent(types);
}

// For each value of y: an addition for the sum of dy, an exponential, a multiplication and a
// subtraction.
std::int64_t log_softmax_gradient_flop(const OperationTypes& types) {
  return 4 * values(types);
}

std::vector<GradientPart> gradient(const OperationTypes& types, Operator kind) {
  return {{.kind = kind,
           .attributes = types.attributes,
           .operands = {ForwardOutput{0}, OutputGradient{0}},
           .of_inputs = {0}}};
}

std::vector<GradientPart> softmax_gradient(const OperationTypes& types) {
  return gradient(types, Operator::SoftmaxGradient);
}

std::vector<GradientPart> log_softmax_gradient(const OperationTypes& types) {
  return gradient(types, Operator::LogSoftmaxGradient);
}

std::vector<KernelWord> shape_words(const OperationTypes& types) {
  const Shape& shape = types.inputs[0].shape;
  const auto axis = shape.begin() + axis_of(types);
  KernelWords words;
  words.integer("outer", value_count(Shape(shape.begin(), axis)))
      .integer("axis", *axis)
      .integer("inner", value_count(Shape(axis + 1, shape.end())));
  return words.take();
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = types.kind == Operator::Softmax ? POET_KERNEL(poet_softmax_forward_f32)
                                                      : POET_KERNEL(poet_log_softmax_forward_f32),
          .shape = shape_words(types),
          .inputs = {0},
          .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  return {.function = types.kind == Operator::SoftmaxGradient
                          ? POET_KERNEL(poet_softmax_gradient_f32)
                          : POET_KERNEL(poet_log_softmax_gradient_f32),
          .shape = shape_words(types),
          .inputs = {0, 1},
          .outputs = {0}};
}

Division along_outer(const KernelCall& call) {
  const std::int64_t step_bytes = kFloatBytes * whole_in(call, "axis") * whole_in(call, "inner");
  return {.along = "outer",
          .input_steps_bytes = std::vector(call.inputs.size(), step_bytes),
          .output_steps_bytes = {step_bytes}};
}

}  // namespace

std::vector<OperatorEntry> softmax_operators() {
  return {{.id = Operator::Softmax,
           .name = "softmax",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = output_types,
           .flop = softmax_flop,
           .gradient = softmax_gradient,
           .kernel = forward_call,
           .divides = along_outer,
           .parts = InParts{softmax_axes},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Softmax", 1),
           .in_place = {{0, 0}}},
          {.id = Operator::SoftmaxGradient,
           .name = "softmax_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = softmax_gradient_flop,
           .gradient = nullptr,
           .kernel = gradient_call,
           .divides = along_outer,
           .parts = InParts{softmax_axes},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx,
           .in_place = {{1, 0}, {0, 0}}},
          {.id = Operator::LogSoftmax,
           .name = "log_softmax",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = output_types,
           .flop = log_softmax_flop,
           .gradient = log_softmax_gradient,
           .kernel = forward_call,
           .divides = along_outer,
           .parts = InParts{softmax_axes},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("LogSoftmax", 1),
           .in_place = {{0, 0}}},
          {.id = Operator::LogSoftmaxGradient,
           .name = "log_softmax_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = log_softmax_gradient_flop,
           .gradient = nullptr,
           .kernel = gradient_call,
           .divides = along_outer,
           .parts = InParts{softmax_axes},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx,
           .in_place = {{1, 0}, {0, 0}}}};
}

}  // namespace poet
