#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/picks.h"
#include "poet/runtime/gather_elements.h"

// Places values along an axis, each by an index of its own, or adds them there.

namespace poet {
namespace {

const ScatterAttributes& scatter_of(const OperationTypes& types) {
  return std::get<ScatterAttributes>(types.attributes);
}

// x, indices, updates.
OutputTypes scattered_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const scatter = std::get_if<ScatterAttributes>(&types.attributes);
  if (scatter == nullptr) return wrong_attributes("scatter of elements");
  if (Failure failure = check_elements(x, types.inputs[1], scatter->axis)) return *failure;
  if (scatter->adds)
    if (Failure failure = require_element(x, ElementType::Float32, "x")) return *failure;
  const TensorType updates{x.element, types.inputs[1].shape};
  if (Failure failure = require_type(types.inputs[2], updates, "the updates")) return *failure;
  return std::vector<TensorType>{x};
}

// One addition for each update that is added.
std::int64_t flop(const OperationTypes& types) {
  return scatter_of(types).adds ? value_count(types.inputs[1].shape) : 0;
}

// Where updates are added, the gradient by x is that of y, and theirs is picked from it.
std::vector<GradientPart> gradient(const OperationTypes& types) {
  const std::vector<GradientOperand> operands = {ForwardInput{1}, OutputGradient{0}};
  if (scatter_of(types).adds)
    return {{.kind = Operator::BroadcastSum,
             .attributes = ScalarAttributes{.alpha = 1},
             .operands = {OutputGradient{0}},
             .of_inputs = {0}},
            {.kind = Operator::GatherElements,
             .attributes = AxisAttributes{scatter_of(types).axis},
             .operands = {OutputGradient{0}, ForwardInput{1}},
             .of_inputs = {2}}};
  return {{.kind = Operator::ScatterElementsKeptGradient,
           .attributes = types.attributes,
           .operands = operands,
           .of_inputs = {0}},
          {.kind = Operator::ScatterElementsUpdateGradient,
           .attributes = types.attributes,
           .operands = operands,
           .of_inputs = {2}}};
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = scatter_of(types).adds ? POET_KERNEL(poet_scatter_elements_add_forward_f32)
                                             : POET_KERNEL(poet_scatter_elements_forward),
          .shape = elements_words(types.inputs[0], types.inputs[1], scatter_of(types).axis),
          .inputs = {0, 1, 2},
          .outputs = {0}};
}

// Indices and dy, which has the type of x.
KernelCall kept_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_scatter_elements_kept_gradient_f32),
          .shape = elements_words(types.inputs[1], types.inputs[0], scatter_of(types).axis),
          .inputs = {0, 1},
          .outputs = {0}};
}

KernelCall update_gradient_call(const OperationTypes& types) {
  KernelCall call{.function = POET_KERNEL(poet_scatter_elements_update_gradient_f32),
                  .shape = elements_words(types.inputs[1], types.inputs[0], scatter_of(types).axis),
                  .inputs = {0, 1},
                  .outputs = {0}};
  call.workspace_bytes = whole_in(call, "axis") * whole_in(call, "inner");
  return call;
}

Division divides_forward(const KernelCall& call) {
  return elements_along_outer(call, "xip", "x");
}

Division divides_kept_gradient(const KernelCall& call) {
  return elements_along_outer(call, "ix", "x");
}

std::int64_t extent_along_axis(const OperationTypes& types, const TensorType& x) {
  return x.shape[static_cast<std::size_t>(scatter_of(types).axis)];
}

std::optional<std::int64_t> index_extent(const OperationTypes& types, std::size_t position) {
  if (position != 1) return std::nullopt;
  return extent_along_axis(types, types.inputs[0]);
}

std::optional<std::int64_t> gradient_index_extent(const OperationTypes& types,
                                                  std::size_t position) {
  if (position != 0) return std::nullopt;
  return extent_along_axis(types, types.inputs[1]);
}

Axes scatter_axes(const OperationTypes& types) {
  return axes_beside(types, scatter_of(types).axis);
}

OperatorEntry gradient_row(Operator id, std::string_view name) {
  return {.id = id,
          .name = name,
          .least_inputs = 2,
          .most_inputs = 2,
          .roles = kPlainInputs,
          .output_types = nullptr,
          .flop = no_flop,
          .gradient = nullptr,
          .kernel = update_gradient_call,
          .divides = nullptr,  // its workspace is that of one call
          .parts = InParts{scatter_axes},
          .domain = InputDomain{.index_extent = gradient_index_extent},
          .onnx = kNotInOnnx};
}

}  // namespace

std::vector<OperatorEntry> scatter_operators() {
  OperatorEntry kept =
      gradient_row(Operator::ScatterElementsKeptGradient, "scatter_elements_kept_gradient");
  kept.kernel = kept_gradient_call;
  kept.divides = divides_kept_gradient;
  kept.in_place = {{1, 0}};
  return {
      {.id = Operator::ScatterElements,
       .name = "scatter_elements",
       .least_inputs = 3,
       .most_inputs = 3,
       .roles = kPlainInputs,
       .output_types = scattered_type,
       .flop = flop,
       .gradient = gradient,
       .kernel = forward_call,
       .divides = divides_forward,
       .parts = InParts{scatter_axes},
       .domain = InputDomain{.index_extent = index_extent},
       .onnx = special_in_onnx("ScatterElements", 11),
       .in_place = {{0, 0}}},
      kept,
      gradient_row(Operator::ScatterElementsUpdateGradient, "scatter_elements_update_gradient")};
}

}  // namespace poet
