#include "poet/runtime/gather_elements.h"

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/picks.h"

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

std::int64_t axis_extent(const OperationTypes& types, const TensorType& x, const TensorType&) {
  return x.shape[static_cast<std::size_t>(axis_in(types))];
}

Axes element_axes(const OperationTypes& types) {
  return axes_beside(types, axis_in(types));
}

}  // namespace

std::vector<OperatorEntry> gather_elements_operators() {
  return {pick_entry({.id = Operator::GatherElements,
                      .name = "gather_elements",
                      .roles = kPlainInputs,
                      .kernel = forward_call,
                      .divides = divides_forward,
                      .parts = InParts{element_axes},
                      .domain = InputDomain{.index_extent = picked_extent<axis_extent>}},
                     picked_type, picked_gradient<Operator::GatherElementsGradient>,
                     special_in_onnx("GatherElements", 11)),
          pick_gradient_entry(
              {.id = Operator::GatherElementsGradient,
               .name = "gather_elements_gradient",
               .roles = kPlainInputs,
               .kernel = gradient_call,
               .divides = divides_gradient,
               .parts = InParts{element_axes},
               .domain = InputDomain{.index_extent = picked_gradient_extent<axis_extent>}})};
}

}  // namespace poet
