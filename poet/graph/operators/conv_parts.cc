#include <fmt/format.h>

#include <cstdlib>

#include "poet/base/check.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/window.h"
#include "poet/runtime/conv.h"

// Parts of convolutions and of their gradients: after its first two inputs, an operation is given
// the sum that it continues, whose type its output has; a bias comes last. The rest is what the
// rows of the whole operations say.

namespace poet {
namespace {

// A part, and which of its first three inputs has the type of what goes into the convolution at its
// bottom, of what comes out of it, and of its weights.
struct PartRow {
  Operator id{};
  Operator whole{};
  std::size_t picture = 0;
  std::size_t places = 0;
  std::size_t weights = 0;
};

constexpr PartRow kParts[] = {
    {Operator::ConvContinued, Operator::Conv, 0, 2, 1},
    {Operator::ConvInputGradientContinued, Operator::ConvInputGradient, 2, 0, 1},
    {Operator::ConvWeightGradientContinued, Operator::ConvWeightGradient, 0, 1, 2},
    {Operator::ConvTransposeContinued, Operator::ConvTranspose, 2, 0, 1},
    {Operator::ConvTransposeInputGradientContinued, Operator::ConvTransposeInputGradient, 0, 2, 1},
    {Operator::ConvTransposeWeightGradientContinued, Operator::ConvTransposeWeightGradient, 1, 0,
     2},
};

const PartRow& row_of(Operator id) {
  for (const PartRow& row : kParts)
    if (row.id == id) return row;
  check_failed("every part of a convolution has a row", __FILE__, __LINE__);
}

// What a part does, as if it did it alone: without the sum.
OperationTypes alone(const OperationTypes& types) {
  OperationTypes result = types;
  result.kind = row_of(types.kind).whole;
  result.outputs = {types.inputs[2]};
  result.inputs.erase(result.inputs.begin() + 2);
  return result;
}

struct PartShapes {
  const Shape& picture;
  const Shape& places;
  const Shape& weights;
};

PartShapes shapes_of(const OperationTypes& types) {
  const PartRow& row = row_of(types.kind);
  return {types.inputs[row.picture].shape, types.inputs[row.places].shape,
          types.inputs[row.weights].shape};
}

Failure demand_picture(const Shape& shape) {
  if (shape.size() >= 3 && shape.size() <= 5) return std::nullopt;
  return bad_input(
      fmt::format("takes (N, C) and 1 to 3 spatial dimensions, not {}", to_text(shape)));
}

Failure demand_window(const OperationTypes& types) {
  if (!std::holds_alternative<WindowAttributes>(types.attributes))
    return wrong_attributes("window");
  return demand_float32(types);
}

Failure check_paddings(const std::vector<std::int64_t>& padding, std::size_t count) {
  if (padding.size() != count)
    return bad_input(fmt::format("padding_begin has {} values, not {}", padding.size(), count));
  for (const std::int64_t value : padding)
    if (value < -kMaxValues || value > kMaxValues)
      return bad_input(fmt::format("padding_begin must be from -{} to {}, not {}", kMaxValues,
                                   kMaxValues, value));
  return std::nullopt;
}

// Nothing when all that kernels count along a spatial dimension fits in 32 bits.
Failure check_positions(const WindowAttributes& window, const PartShapes& shapes) {
  constexpr std::int64_t kMost = kMaxValues / 8;
  for (std::size_t d = 0; d < window.kernel.size(); ++d) {
    const std::int64_t covered =
        window.stride[d] * shapes.places[d + 2] + window.dilation[d] * window.kernel[d];
    const std::int64_t padding = window.padding_begin[d];
    if (covered > kMost || std::abs(padding) > kMost || shapes.picture[d + 2] > kMost)
      return bad_input(fmt::format(
          "the window moves too far in spatial dimension {}: it covers {} values of {}, from {} on",
          d, covered, shapes.picture[d + 2], -padding));
  }
  return std::nullopt;
}

Failure check_window_of_part(const WindowAttributes& window, const PartShapes& shapes) {
  const std::size_t count = shapes.picture.size() - 2;
  if (Failure failure = demand_list(window.kernel, {"kernel", count, 1})) return failure;
  if (Failure failure = demand_list(window.stride, {"stride", count, 1})) return failure;
  if (Failure failure = demand_list(window.dilation, {"dilation", count, 1})) return failure;
  if (Failure failure = check_paddings(window.padding_begin, count)) return failure;
  if (window.groups < 1 || window.groups > kMaxValues)
    return bad_input(fmt::format("groups must be from 1 to {}, not {}", kMaxValues, window.groups));
  if (window.round_up || window.counts_padding)
    return bad_input("round_up and counts_padding are for pools");
  return check_positions(window, shapes);
}

Failure check_groups(std::int64_t groups, const Shape& shape) {
  if (shape[1] % groups == 0) return std::nullopt;
  return bad_input(fmt::format("{} groups do not divide the {} channels of {}", groups, shape[1],
                               to_text(shape)));
}

// Picture, places and weights fit to each other, whatever the window makes of their extents: places
// outside the picture are zeros.
Failure check_shapes(const OperationTypes& types) {
  const PartShapes shapes = shapes_of(types);
  const auto& window = std::get<WindowAttributes>(types.attributes);
  if (Failure failure = demand_picture(shapes.picture)) return failure;
  if (shapes.places.size() != shapes.picture.size())
    return bad_input(fmt::format("{} and {} have not the same number of dimensions",
                                 to_text(shapes.picture), to_text(shapes.places)));
  if (Failure failure = check_window_of_part(window, shapes)) return failure;
  if (shapes.picture[0] != shapes.places[0])
    return bad_input(fmt::format("{} and {} are not of as many images", to_text(shapes.picture),
                                 to_text(shapes.places)));
  if (Failure failure = check_groups(window.groups, shapes.picture)) return failure;
  if (Failure failure = check_groups(window.groups, shapes.places)) return failure;
  Shape wanted{shapes.places[1], shapes.picture[1] / window.groups};
  wanted.insert(wanted.end(), window.kernel.begin(), window.kernel.end());
  if (Failure failure = require_type({ElementType::Float32, shapes.weights},
                                     {ElementType::Float32, wanted}, "the weights"))
    return failure;
  Shape factors = shapes.places;
  factors.insert(factors.end(), shapes.weights.begin() + 1, shapes.weights.end());
  return demand_countable_work(factors);
}

OutputTypes output_types(const OperationTypes& types) {
  if (Failure failure = demand_window(types)) return *failure;
  if (Failure failure = check_shapes(types)) return *failure;
  const TensorType& sum = types.inputs[2];
  if (types.inputs.size() == 4)
    if (Failure failure =
            require_type(types.inputs[3], {ElementType::Float32, {sum.shape[1]}}, "the bias"))
      return *failure;
  return std::vector<TensorType>{sum};
}

std::int64_t flop(const OperationTypes& types) {
  const OperationTypes part = alone(types);
  return entry_of(part.kind).flop(part);
}

Kernel continued(const Kernel& whole) {
  if (whole == POET_KERNEL(poet_conv_forward_f32)) return POET_KERNEL(poet_conv_continued_f32);
  if (whole == POET_KERNEL(poet_conv_input_gradient_f32))
    return POET_KERNEL(poet_conv_input_gradient_continued_f32);
  return POET_KERNEL(poet_conv_weight_gradient_continued_f32);
}

// Kernels of parts are given the sum after their first two inputs, too.
KernelCall kernel_call(const OperationTypes& types) {
  const OperationTypes part = alone(types);
  KernelCall call = entry_of(part.kind).kernel(part);
  call.function = continued(call.function);
  if (call.inputs.size() == 3 && call.inputs[2]) call.inputs[2] = 3;
  call.inputs.insert(call.inputs.begin() + 2, 2);
  return call;
}

// As the whole is divided: the sum like the output.
template <Operator whole>
Division along_samples(const KernelCall& call) {
  Division division = entry_of(whole).divides(call);
  division.input_steps_bytes.insert(division.input_steps_bytes.begin() + 2,
                                    division.output_steps_bytes[0]);
  return division;
}

OperatorEntry part_row(Operator id, std::string_view name, int most_inputs,
                       Division (*divides)(const KernelCall&)) {
  return {.id = id,
          .name = name,
          .least_inputs = 3,
          .most_inputs = most_inputs,
          .roles = kPlainInputs,
          .output_types = output_types,
          .flop = flop,
          .gradient = nullptr,
          .kernel = kernel_call,
          .divides = divides,
          .parts = kDoneWhole,
          .domain = kAnyNumbers,
          .onnx = kNotInOnnx,
          .in_place = {{2, 0}}};
}

// --- The gradient by the bias: dy (N, C, ...), the sum (C)

OutputTypes bias_types(const OperationTypes& types) {
  if (Failure failure = demand_window(types)) return *failure;
  const Shape& dy = types.inputs[0].shape;
  if (Failure failure = demand_picture(dy)) return *failure;
  if (Failure failure = require_type(types.inputs[1], {ElementType::Float32, {dy[1]}}, "the sum"))
    return *failure;
  return std::vector<TensorType>{types.inputs[1]};
}

OperationTypes bias_alone(const OperationTypes& types) {
  return {.kind = Operator::ConvBiasGradient,
          .attributes = types.attributes,
          .inputs = {types.inputs[0]},
          .outputs = {types.inputs[1]}};
}

std::int64_t bias_flop(const OperationTypes& types) {
  return entry_of(Operator::ConvBiasGradient).flop(bias_alone(types));
}

KernelCall bias_call(const OperationTypes& types) {
  KernelCall call = entry_of(Operator::ConvBiasGradient).kernel(bias_alone(types));
  call.function = POET_KERNEL(poet_conv_bias_gradient_continued_f32);
  call.inputs = {0, 1};
  return call;
}

}  // namespace

std::vector<OperatorEntry> conv_part_operators() {
  return {
      part_row(Operator::ConvContinued, "conv_continued", 4, along_samples<Operator::Conv>),
      part_row(Operator::ConvInputGradientContinued, "conv_input_gradient_continued", 3,
               along_samples<Operator::ConvInputGradient>),
      part_row(Operator::ConvWeightGradientContinued, "conv_weight_gradient_continued", 3, nullptr),
      part_row(Operator::ConvTransposeContinued, "conv_transpose_continued", 4,
               along_samples<Operator::ConvTranspose>),
      part_row(Operator::ConvTransposeInputGradientContinued,
               "conv_transpose_input_gradient_continued", 3,
               along_samples<Operator::ConvTransposeInputGradient>),
      part_row(Operator::ConvTransposeWeightGradientContinued,
               "conv_transpose_weight_gradient_continued", 3, nullptr),
      {.id = Operator::ConvBiasGradientContinued,
       .name = "conv_bias_gradient_continued",
       .least_inputs = 2,
       .most_inputs = 2,
       .roles = kPlainInputs,
       .output_types = bias_types,
       .flop = bias_flop,
       .gradient = nullptr,
       .kernel = bias_call,
       .divides = nullptr,
       .parts = kDoneWhole,
       .domain = kAnyNumbers,
       .onnx = kNotInOnnx,
       .in_place = {{1, 0}}}};
}

}  // namespace poet
