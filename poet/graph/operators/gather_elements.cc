#include "poet/runtime/gather_elements.h"

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/picked_words.h"

// Picks values along an axis, each by an index of its own.

namespace poet {
namespace {

std::int64_t axis_in(const OperationTypes& types) {
  return std::get<AxisAttributes>(types.attributes).axis;
}

OutputTypes picked_type(const OperationTypes& types) {
  const auto* const attributes = std::get_if<AxisAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("gather of elements");
  if (Failure failure = check_elements(types.inputs[0], types.inputs[1], attributes->axis))
    return *failure;
  return std::vector<TensorType>{{types.inputs[0].element, types.inputs[1].shape}};
}

std::int64_t no_flop(const OperationTypes&) {
  return 0;
}

// One addition for each value of dy.
std::int64_t gradient_flop(const OperationTypes& types) {
  return value_count(types.inputs[1].shape);
}

// Of x only what is picked is read.
std::int64_t moved_bytes(const OperationTypes& types) {
  return size_bytes(types.inputs[1]) + 2 * size_bytes(types.outputs[0]);
}

std::vector<GradientPart> gradient(const OperationTypes& types) {
  return {{.kind = Operator::GatherElementsGradient,
           .attributes = types.attributes,
           .operands = {ForwardInput{1}, OutputGradient{0}},
           .of_inputs = {0}}};
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_gather_elements_forward),
          .shape = elements_words(types.inputs[0], types.inputs[1], axis_in(types)),
          .inputs = {0, 1},
          .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_gather_elements_gradient_f32),
          .shape = elements_words(types.outputs[0], types.inputs[0], axis_in(types)),
          .inputs = {0, 1},
          .outputs = {0}};
}

Division divides_forward(const KernelCall& call) {
  return elements_along_outer(call, "xi", "p");
}

Division divides_gradient(const KernelCall& call) {
  return elements_along_outer(call, "ip", "x");
}

std::optional<std::int64_t> index_extent(const OperationTypes& types, std::size_t position) {
  if (position != 1) return std::nullopt;
  return types.inputs[0].shape[static_cast<std::size_t>(axis_in(types))];
}

std::optional<std::int64_t> gradient_index_extent(const OperationTypes& types,
                                                  std::size_t position) {
  if (position != 0) return std::nullopt;
  return types.outputs[0].shape[static_cast<std::size_t>(axis_in(types))];
}

Axes element_axes(const OperationTypes& types) {
  return axes_beside(types, axis_in(types));
}

}  // namespace

std::vector<OperatorEntry> gather_elements_operators() {
  return {{.id = Operator::GatherElements,
           .name = "gather_elements",
           .least_inputs = 2,
           .most_inputs = 2,
           .output_types = picked_type,
           .flop = no_flop,
           .moved_bytes = moved_bytes,
           .gradient = gradient,
           .kernel = forward_call,
           .divides = divides_forward,
           .parts = InParts{element_axes},
           .domain = InputDomain{.index_extent = index_extent},
           .onnx = special_in_onnx("GatherElements", 11)},
          {.id = Operator::GatherElementsGradient,
           .name = "gather_elements_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .output_types = nullptr,
           .flop = gradient_flop,
           .gradient = nullptr,
           .kernel = gradient_call,
           .divides = divides_gradient,
           .parts = InParts{element_axes},
           .domain = InputDomain{.index_extent = gradient_index_extent},
           .onnx = kNotInOnnx}};
}

}  // namespace poet
