#include <fmt/format.h>

#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/gather.h"

// Picks slices along an axis by a list of indices. Over the rows of a table it is an embedding.

namespace poet {
namespace {

OutputTypes gathered_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const TensorType& indices = types.inputs[1];
  const auto* const attributes = std::get_if<AxisAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("gather");
  if (indices.element != ElementType::Int32 && indices.element != ElementType::Int64)
    return bad_input("the indices must be int32 or int64, not " + to_text(indices));
  if (attributes->axis < 0 || attributes->axis >= rank_of(x))
    return bad_input(fmt::format("axis {} is out of range for {}", attributes->axis, to_text(x)));
  TensorType y = x;
  const auto axis = y.shape.erase(y.shape.begin() + attributes->axis);
  y.shape.insert(axis, indices.shape.begin(), indices.shape.end());
  return std::vector<TensorType>{y};
}

std::int64_t no_flop(const OperationTypes&) {
  return 0;
}

// Of the table only what is picked is read.
std::int64_t moved_bytes(const OperationTypes& types) {
  return size_bytes(types.inputs[1]) + 2 * size_bytes(types.outputs[0]);
}

// One addition for each value of dy.
std::int64_t gradient_flop(const OperationTypes& types) {
  return value_count(types.inputs[1].shape);
}

std::vector<GradientPart> gradient(const OperationTypes& types) {
  return {{.kind = Operator::GatherGradient,
           .attributes = types.attributes,
           .operands = {ForwardInput{1}, OutputGradient{0}},
           .of_inputs = {0}}};
}

// poet_gather_shape (poet/runtime/gather.h).
std::vector<KernelWord> gather_words(const TensorType& x, const TensorType& indices,
                                     const AxisAttributes& attributes) {
  const auto axis = x.shape.begin() + attributes.axis;
  return KernelWords()
      .integer("element_bytes", byte_size(x.element))
      .integer("outer", value_count({x.shape.begin(), axis}))
      .integer("axis", *axis)
      .integer("inner", value_count({axis + 1, x.shape.end()}))
      .integer("count", value_count(indices.shape))
      .take();
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = types.inputs[1].element == ElementType::Int32
                          ? POET_KERNEL(poet_gather_forward_i32)
                          : POET_KERNEL(poet_gather_forward_i64),
          .shape = gather_words(types.inputs[0], types.inputs[1],
                                std::get<AxisAttributes>(types.attributes)),
          .inputs = {0, 1},
          .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  return {.function = types.inputs[0].element == ElementType::Int32
                          ? POET_KERNEL(poet_gather_gradient_f32_i32)
                          : POET_KERNEL(poet_gather_gradient_f32_i64),
          .shape = gather_words(types.outputs[0], types.inputs[0],
                                std::get<AxisAttributes>(types.attributes)),
          .inputs = {0, 1},
          .outputs = {0}};
}

// Indices stay below the extent of the table's axis.
std::int64_t axis_extent(const OperationTypes& types, const TensorType& table) {
  return table.shape[static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis)];
}

std::optional<std::int64_t> index_extent(const OperationTypes& types, std::size_t position) {
  if (position != 1) return std::nullopt;
  return axis_extent(types, types.inputs[0]);
}

std::optional<std::int64_t> gradient_index_extent(const OperationTypes& types,
                                                  std::size_t position) {
  if (position != 0) return std::nullopt;
  return axis_extent(types, types.outputs[0]);
}

}  // namespace

std::vector<OperatorEntry> gather_operators() {
  return {{.id = Operator::Gather,
           .name = "gather",
           .least_inputs = 2,
           .most_inputs = 2,
           .output_types = gathered_type,
           .flop = no_flop,
           .moved_bytes = moved_bytes,
           .gradient = gradient,
           .kernel = forward_call,
           .divides = nullptr,
           .domain = InputDomain{.index_extent = index_extent},
           .onnx = special_in_onnx("Gather"),
           .drawn = DrawnAs::Layer},
          {.id = Operator::GatherGradient,
           .name = "gather_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .output_types = nullptr,
           .flop = gradient_flop,
           .gradient = nullptr,
           .kernel = gradient_call,
           .divides = nullptr,
           .domain = InputDomain{.index_extent = gradient_index_extent},
           .onnx = kNotInOnnx}};
}

}  // namespace poet
