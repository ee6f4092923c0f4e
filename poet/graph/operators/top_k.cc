#include <fmt/format.h>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/top_k.h"

// Which values along an axis are largest, or smallest. Places have no gradient; that of the values
// goes to where they stood.

namespace poet {
namespace {

constexpr std::int64_t kPlaceBytes = 8;

std::int64_t& extent_along(Shape& shape, std::int64_t axis) {
  return shape[static_cast<std::size_t>(axis)];
}

Error no_axis(std::int64_t axis, const TensorType& x) {
  return bad_input(fmt::format("axis {} is out of range for {}", axis, to_text(x)));
}

OutputTypes top_k_type(const OperationTypes& types) {
  TensorType values = types.inputs[0];
  const auto* const top = std::get_if<TopKAttributes>(&types.attributes);
  if (top == nullptr) return wrong_attributes("choice of the largest values");
  if (Failure failure = require_element(values, ElementType::Float32, "the input")) return *failure;
  if (top->axis < 0 || top->axis >= rank_of(values)) return no_axis(top->axis, values);
  std::int64_t& extent = extent_along(values.shape, top->axis);
  if (top->count < 1 || top->count > extent)
    return bad_input(fmt::format("{} values are to be chosen of {}", top->count, extent));
  extent = top->count;
  return std::vector<TensorType>{values, {ElementType::Int64, values.shape}};
}

// Every value is compared with the last of those that are chosen, and these with each other while
// they are put in order.
std::int64_t top_k_flop(const OperationTypes& types) {
  return 2 * (value_count(types.inputs[0].shape) + value_count(types.outputs[0].shape));
}

std::vector<GradientPart> top_k_gradient(const OperationTypes& types) {
  return {{.kind = Operator::GatherElementsGradient,
           .attributes = AxisAttributes{std::get<TopKAttributes>(types.attributes).axis},
           .operands = {ForwardOutput{1}, OutputGradient{0}},
           .of_inputs = {0}}};
}

// The three extents that the kernels see, around the axis.
KernelWords& add_extents(KernelWords& words, const Shape& shape, std::int64_t axis) {
  const auto at = shape.begin() + axis;
  return words.integer("outer", value_count({shape.begin(), at}))
      .integer("axis", *at)
      .integer("inner", value_count({at + 1, shape.end()}));
}

KernelCall top_k_call(const OperationTypes& types) {
  const auto& top = std::get<TopKAttributes>(types.attributes);
  KernelWords words;
  add_extents(words, types.inputs[0].shape, top.axis)
      .integer("count", top.count)
      .integer("largest", top.largest ? 1 : 0);
  return {.function = POET_KERNEL(poet_top_k_forward_f32),
          .shape = words.take(),
          .inputs = {0},
          .outputs = {0, 1}};
}

Division top_k_along_outer(const KernelCall& call) {
  const std::int64_t chosen = whole_in(call, "count") * whole_in(call, "inner");
  return {.along = "outer",
          .input_steps_bytes = {kFloatBytes * whole_in(call, "axis") * whole_in(call, "inner")},
          .output_steps_bytes = {kFloatBytes * chosen, kPlaceBytes * chosen}};
}

Axes top_k_axes(const OperationTypes& types) {
  return axes_beside(types, std::get<TopKAttributes>(types.attributes).axis);
}

OutputTypes arg_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const arg = std::get_if<ArgAttributes>(&types.attributes);
  if (arg == nullptr) return wrong_attributes("place of the largest value");
  if (x.element != ElementType::Float32 && x.element != ElementType::Int32 &&
      x.element != ElementType::Int64)
    return bad_input("the input must be float32, int32 or int64, not " + to_text(x));
  if (arg->axis < 0 || arg->axis >= rank_of(x)) return no_axis(arg->axis, x);
  TensorType places{ElementType::Int64, x.shape};
  extent_along(places.shape, arg->axis) = 1;
  return std::vector<TensorType>{places};
}

// Every value is compared with the largest before it, and asked whether it is a number.
std::int64_t arg_flop(const OperationTypes& types) {
  return 2 * value_count(types.inputs[0].shape);
}

Kernel arg_function(Operator kind, ElementType element) {
  const bool max = kind == Operator::ArgMax;
  switch (element) {
    case ElementType::Int32:
      return max ? POET_KERNEL(poet_arg_max_forward_i32) : POET_KERNEL(poet_arg_min_forward_i32);
    case ElementType::Int64:
      return max ? POET_KERNEL(poet_arg_max_forward_i64) : POET_KERNEL(poet_arg_min_forward_i64);
    default:
      return max ? POET_KERNEL(poet_arg_max_forward_f32) : POET_KERNEL(poet_arg_min_forward_f32);
  }
}

KernelCall arg_call(const OperationTypes& types) {
  const auto& arg = std::get<ArgAttributes>(types.attributes);
  const TensorType& x = types.inputs[0];
  KernelWords words;
  words.integer("element_bytes", byte_size(x.element));
  add_extents(words, x.shape, arg.axis).integer("last", arg.last ? 1 : 0);
  return {.function = arg_function(types.kind, x.element),
          .shape = words.take(),
          .inputs = {0},
          .outputs = {0}};
}

Division arg_along_outer(const KernelCall& call) {
  const std::int64_t inner = whole_in(call, "inner");
  return {.along = "outer",
          .input_steps_bytes = {whole_in(call, "element_bytes") * whole_in(call, "axis") * inner},
          .output_steps_bytes = {kPlaceBytes * inner}};
}

Axes arg_axes(const OperationTypes& types) {
  return axes_beside(types, std::get<ArgAttributes>(types.attributes).axis);
}

OperatorEntry arg_row(Operator id, std::string_view name, OnnxName onnx) {
  return {.id = id,
          .name = name,
          .least_inputs = 1,
          .most_inputs = 1,
          .roles = kPlainInputs,
          .output_types = arg_type,
          .flop = arg_flop,
          .gradient = nullptr,
          .kernel = arg_call,
          .divides = arg_along_outer,
          .parts = InParts{arg_axes},
          .domain = kAnyNumbers,
          .onnx = onnx};
}

}  // namespace

std::vector<OperatorEntry> top_k_operators() {
  return {{.id = Operator::TopK,
           .name = "top_k",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = top_k_type,
           .flop = top_k_flop,
           .gradient = top_k_gradient,
           .kernel = top_k_call,
           .divides = top_k_along_outer,
           .parts = InParts{top_k_axes},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("TopK", 1)},
          arg_row(Operator::ArgMax, "arg_max", special_in_onnx("ArgMax", 1)),
          arg_row(Operator::ArgMin, "arg_min", special_in_onnx("ArgMin", 1))};
}

}  // namespace poet
