#include <fmt/format.h>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/strided_walk.h"
#include "poet/runtime/dropout.h"

// Dropout draws its mask of the step's seed and its own number, and its gradient draws the same
// mask again: nothing is kept for it.

namespace poet {
namespace {

OutputTypes dropout_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const dropout = std::get_if<DropoutAttributes>(&types.attributes);
  if (dropout == nullptr) return wrong_attributes("dropout");
  if (Failure failure = require_element(x, ElementType::Float32, "the input")) return *failure;
  if (Failure failure = require_type(types.inputs[1], step_type(), "the step")) return *failure;
  if (!(dropout->probability >= 0 && dropout->probability < 1))
    return bad_input(fmt::format("the probability is {}: it must be at least 0 and less than 1",
                                 dropout->probability));
  return std::vector<TensorType>{x};
}

// A comparison and a multiplication for each value; drawing random words is not counted.
std::int64_t flop(const OperationTypes& types) {
  return 2 * value_count(types.inputs[0].shape);
}

std::vector<GradientPart> gradient(const OperationTypes& types) {
  return {{.kind = Operator::DropoutGradient,
           .attributes = types.attributes,
           .operands = {OutputGradient{0}, ForwardInput{1}},
           .of_inputs = {0}}};
}

// poet_dropout_shape (poet/runtime/dropout.h): the same for both passes.
KernelCall call(const OperationTypes& types) {
  const auto& dropout = std::get<DropoutAttributes>(types.attributes);
  return {.function = types.kind == Operator::Dropout ? POET_KERNEL(poet_dropout_forward_f32)
                                                      : POET_KERNEL(poet_dropout_gradient_f32),
          .shape = KernelWords()
                       .integer("count", value_count(types.inputs[0].shape))
                       .bits("operation", static_cast<std::uint32_t>(dropout.number))
                       .real("probability", dropout.probability)
                       .integer("first", 0)
                       .take(),
          .inputs = {0, 1},
          .outputs = {0}};
}

// --- A piece of a larger tensor

OutputTypes part_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const part = std::get_if<DropoutPartAttributes>(&types.attributes);
  if (part == nullptr) return wrong_attributes("part of a dropout");
  const OutputTypes y =
      dropout_type({.kind = Operator::Dropout,
                    .attributes = DropoutAttributes{part->probability, part->number},
                    .inputs = types.inputs});
  if (!y.ok()) return y;
  if (Failure failure = require_rank(x, "the input")) return *failure;
  if (Failure failure = check_shape(part->whole, "the whole")) return *failure;
  bool lies_inside = part->whole.size() == x.shape.size() && part->begin.size() == x.shape.size();
  for (std::size_t d = 0; lies_inside && d < x.shape.size(); ++d)
    lies_inside = part->begin[d] >= 0 && part->begin[d] <= part->whole[d] - x.shape[d];
  if (lies_inside) return y;
  return bad_input(fmt::format("{} from {} on is not a piece of {}", to_text(x.shape),
                               to_text(part->begin), to_text(part->whole)));
}

KernelCall part_call(const OperationTypes& types) {
  const auto& part = std::get<DropoutPartAttributes>(types.attributes);
  const std::vector<std::int64_t> strides = dense_strides(part.whole);
  std::int64_t first = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) first += part.begin[d] * strides[d];
  const StridedWalk walk = merged({.extents = types.inputs[0].shape, .strides = {strides}});
  return {.function = POET_KERNEL(poet_dropout_part_f32),
          .shape = KernelWords()
                       .bits("operation", static_cast<std::uint32_t>(part.number))
                       .real("probability", part.probability)
                       .integer("first", first)
                       .integer("rank", static_cast<std::int64_t>(walk.extents.size()))
                       .array("extents", walk.extents, 1)
                       .array("strides", walk.strides[0], 0)
                       .take(),
          .inputs = {0, 1},
          .outputs = {0}};
}

// Random words come in blocks of four.
Division along_blocks(const KernelCall& call) {
  Division division = along_values<1>(call);
  division.multiple = 4;
  division.begin = "first";
  return division;
}

}  // namespace

std::vector<OperatorEntry> dropout_operators() {
  return {{.id = Operator::Dropout,
           .name = "dropout",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = dropout_type,
           .flop = flop,
           .gradient = gradient,
           .kernel = call,
           .divides = along_blocks,
           .parts = InParts{.axes = pointwise_axes, .part = dropout_part},
           .domain = kStepAndNumbers,
           .onnx = special_in_onnx("Dropout", 1),
           .in_place = {{0, 0}}},
          {.id = Operator::DropoutGradient,
           .name = "dropout_gradient",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = flop,
           .gradient = nullptr,
           .kernel = call,
           .divides = along_blocks,
           .parts = InParts{.axes = pointwise_axes, .part = dropout_part},
           .domain = kStepAndNumbers,
           .onnx = kNotInOnnx,
           .in_place = {{0, 0}}},
          {.id = Operator::DropoutPart,
           .name = "dropout_part",
           .least_inputs = 2,
           .most_inputs = 2,
           .roles = kPlainInputs,
           .output_types = part_type,
           .flop = flop,
           .gradient = nullptr,
           .kernel = part_call,
           .divides = nullptr,
           .parts = kDoneWhole,
           .domain = kStepAndNumbers,
           .onnx = kNotInOnnx,
           .in_place = {{0, 0}}}};
}

}  // namespace poet
