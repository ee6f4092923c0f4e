#include <fmt/format.h>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/pad.h"

// Margins around a tensor. With a constant outside, a margin may be negative, which cuts; then the
// gradient is the opposite: it cuts what was added and fills what was cut with zeros.

namespace poet {
namespace {

Failure check_margin(std::int64_t margin, const PadAttributes& pad, std::int64_t extent,
                     std::size_t dimension) {
  if (margin < 0 && pad.mode != PadMode::Constant)
    return bad_input(fmt::format("dimension {} has the margin {}: only a constant can be cut off",
                                 dimension, margin));
  if (pad.mode == PadMode::Reflect && margin >= extent)
    return bad_input(fmt::format("dimension {} has {} values, too few to reflect a margin of {}",
                                 dimension, extent, margin));
  if (margin > kMaxValues || margin < -kMaxValues)
    return bad_input(fmt::format("dimension {} has the margin {}: at most {} can be dealt with",
                                 dimension, margin, kMaxValues));
  return std::nullopt;
}

OutputTypes padded_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const pad = std::get_if<PadAttributes>(&types.attributes);
  if (pad == nullptr) return wrong_attributes("pad");
  if (Failure failure = require_element(x, ElementType::Float32, "the input")) return *failure;
  if (Failure failure = require_rank(x, "the input")) return *failure;
  if (pad->begin.size() != x.shape.size() || pad->end.size() != x.shape.size())
    return bad_input(fmt::format("begin and end need {} values each for {}, not {} and {}",
                                 x.shape.size(), to_text(x), pad->begin.size(), pad->end.size()));
  TensorType y = x;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    if (Failure failure = check_margin(pad->begin[d], *pad, x.shape[d], d)) return *failure;
    if (Failure failure = check_margin(pad->end[d], *pad, x.shape[d], d)) return *failure;
    y.shape[d] += pad->begin[d] + pad->end[d];
    if (y.shape[d] < 1)
      return bad_input(
          fmt::format("margins of {} and {} leave nothing of the {} values of "
                      "dimension {}",
                      pad->begin[d], pad->end[d], x.shape[d], d));
  }
  return std::vector<TensorType>{y};
}

// One addition for each value of dy.
std::int64_t gradient_flop(const OperationTypes& types) {
  return value_count(types.inputs[0].shape);
}

std::vector<GradientPart> gradient(const OperationTypes& types) {
  GradientPart part{.kind = Operator::PadGradient,
                    .attributes = types.attributes,
                    .operands = {OutputGradient{0}},
                    .of_inputs = {0}};
  PadAttributes opposite = std::get<PadAttributes>(types.attributes);
  if (opposite.mode != PadMode::Constant) return {part};
  for (std::int64_t& margin : opposite.begin) margin = -margin;
  for (std::int64_t& margin : opposite.end) margin = -margin;
  opposite.value = 0;
  part.kind = Operator::Pad;
  part.attributes = opposite;
  return {part};
}

// poet_pad_shape (poet/runtime/pad.h), which wants at least one dimension. Its modes are numbered
// like PadMode.
std::vector<KernelWord> pad_words(Shape x, PadAttributes pad) {
  if (x.empty()) {
    x = {1};
    pad.begin = pad.end = {0};
  }
  return KernelWords()
      .integer("mode", static_cast<std::int64_t>(pad.mode))
      .integer("rank", static_cast<std::int64_t>(x.size()))
      .array("x_extents", x, 1)
      .array("before", pad.begin, 0)
      .array("after", pad.end, 0)
      .real("value", pad.value)
      .take();
}

KernelCall forward_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_pad_forward_f32),
          .shape = pad_words(types.inputs[0].shape, std::get<PadAttributes>(types.attributes)),
          .inputs = {0},
          .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_pad_gradient_f32),
          .shape = pad_words(types.outputs[0].shape, std::get<PadAttributes>(types.attributes)),
          .inputs = {0},
          .outputs = {0}};
}

}  // namespace

std::vector<OperatorEntry> pad_operators() {
  return {{.id = Operator::Pad,
           .name = "pad",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = padded_type,
           .flop = no_flop,
           .gradient = gradient,
           .kernel = forward_call,
           .divides = nullptr,
           .parts = InParts{.axes = pad_axes, .part = pad_part},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Pad", 1)},
          {.id = Operator::PadGradient,
           .name = "pad_gradient",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = gradient_flop,
           .gradient = nullptr,
           .kernel = gradient_call,
           .divides = nullptr,
           .parts = InParts{.axes = pad_axes, .part = pad_part},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx}};
}

}  // namespace poet
