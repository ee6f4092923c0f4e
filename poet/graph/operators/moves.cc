#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/strided_walk.h"
#include "poet/runtime/cast.h"
#include "poet/runtime/concat.h"
#include "poet/runtime/strided_copy.h"

// What moves values of any type without computing anything of them: most of it is one kernel, a
// copy from places at fixed strides. Padding and picking by indices stand in pad.cc and gather.cc.

namespace poet {
namespace {

constexpr int kMostConcatInputs = 8;

std::int64_t no_bytes(const OperationTypes&) {
  return 0;
}

// What is left out of the input is not read.
std::int64_t bytes_of_output_twice(const OperationTypes& types) {
  return 2 * size_bytes(types.outputs[0]);
}

// --- Reshape

OutputTypes reshape_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const attributes = std::get_if<ShapeAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("reshape");
  if (Failure failure = check_shape(attributes->shape, "what is asked for")) return *failure;
  if (value_count(attributes->shape) != value_count(x.shape))
    return bad_input(fmt::format("{} cannot take the shape {}: {} values are not {}", to_text(x),
                                 to_text(attributes->shape), value_count(x.shape),
                                 value_count(attributes->shape)));
  return std::vector<TensorType>{{x.element, attributes->shape}};
}

std::vector<GradientPart> reshape_gradient(const OperationTypes& types) {
  return {{.kind = Operator::Reshape,
           .attributes = ShapeAttributes{types.inputs[0].shape},
           .operands = {OutputGradient{0}},
           .of_inputs = {0}}};
}

// --- What the strided copy does

// The dense tensor y of `extents` is made of x's values from `offset` on, at the strides.
struct StridedCopy {
  TensorType x;
  Shape extents;
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
};

// poet_strided_copy_shape (poet/runtime/strided_copy.h).
std::vector<KernelWord> copy_words(const StridedCopy& copy) {
  const StridedWalk walk =
      merged({.extents = copy.extents, .strides = {copy.strides, dense_strides(copy.extents)}});
  return KernelWords()
      .integer("element_bytes", byte_size(copy.x.element))
      .integer("rank", static_cast<std::int64_t>(walk.extents.size()))
      .array("extents", walk.extents, 1)
      .integer("x_offset", copy.offset)
      .array("x_strides", walk.strides[0], 0)
      .integer("x_count", value_count(copy.x.shape))
      .take();
}

KernelCall copy_call(const StridedCopy& copy) {
  return {.function = POET_KERNEL(poet_strided_copy_forward),
          .shape = copy_words(copy),
          .inputs = {0},
          .outputs = {0}};
}

// Along the first dimension of what is written.
Division along_copy(const KernelCall& call) {
  const std::int64_t rank = whole_in(call, "rank");
  if (rank == 0) return {};
  const std::int64_t element_bytes = whole_in(call, "element_bytes");
  return {.along = "extents[0]",
          .input_steps_bytes = {element_bytes * whole_in(call, "x_strides[0]")},
          .output_steps_bytes = {element_bytes * product_in(call, "extents", 1, rank)}};
}

// --- Transpose

OutputTypes transpose_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const attributes = std::get_if<TransposeAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("transpose");
  if (Failure failure = require_rank(x, "the input")) return *failure;
  std::vector<std::int64_t> sorted = attributes->permutation;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> dimensions(x.shape.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  if (sorted != dimensions)
    return bad_input(fmt::format("{} does not name each dimension of {} once",
                                 to_text(attributes->permutation), to_text(x)));
  TensorType y{x.element, {}};
  for (const std::int64_t d : attributes->permutation)
    y.shape.push_back(x.shape[static_cast<std::size_t>(d)]);
  return std::vector<TensorType>{y};
}

std::vector<GradientPart> transpose_gradient(const OperationTypes& types) {
  const auto& permutation = std::get<TransposeAttributes>(types.attributes).permutation;
  std::vector<std::int64_t> back(permutation.size());
  for (std::size_t d = 0; d < permutation.size(); ++d)
    back[static_cast<std::size_t>(permutation[d])] = static_cast<std::int64_t>(d);
  return {{.kind = Operator::Transpose,
           .attributes = TransposeAttributes{back},
           .operands = {OutputGradient{0}},
           .of_inputs = {0}}};
}

KernelCall transpose_call(const OperationTypes& types) {
  const std::vector<std::int64_t> dense = dense_strides(types.inputs[0].shape);
  StridedCopy copy{.x = types.inputs[0], .extents = types.outputs[0].shape, .strides = {}};
  for (const std::int64_t d : std::get<TransposeAttributes>(types.attributes).permutation)
    copy.strides.push_back(dense[static_cast<std::size_t>(d)]);
  return copy_call(copy);
}

// --- Slice

// The extents of one dimension of a slice.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t step = 0;
  std::int64_t extent = 0;
};

// Whether all values of the range are among the first `size`.
bool is_within(const SliceRange& range, std::int64_t size) {
  if (range.start < 0 || range.start >= size || range.extent < 1 || range.extent > size)
    return false;
  if (range.extent == 1) return true;
  if (range.step <= -size || range.step >= size) return false;  // so that nothing overflows
  const std::int64_t last = range.start + (range.extent - 1) * range.step;
  return last >= 0 && last < size;
}

OutputTypes slice_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const slice = std::get_if<SliceAttributes>(&types.attributes);
  if (slice == nullptr) return wrong_attributes("slice");
  if (Failure failure = require_rank(x, "the input")) return *failure;
  const std::size_t rank = x.shape.size();
  if (slice->start.size() != rank || slice->step.size() != rank || slice->extent.size() != rank)
    return bad_input(fmt::format(
        "start, step and extent need {} values each for {}, not {}, {} "
        "and {}",
        rank, to_text(x), slice->start.size(), slice->step.size(), slice->extent.size()));
  for (std::size_t d = 0; d < rank; ++d) {
    if (slice->step[d] == 0) return bad_input(fmt::format("the step of dimension {} is 0", d));
    if (!is_within({slice->start[d], slice->step[d], slice->extent[d]}, x.shape[d]))
      return bad_input(fmt::format("dimension {} of {} has no {} values from {} on in steps of {}",
                                   d, to_text(x), slice->extent[d], slice->start[d],
                                   slice->step[d]));
  }
  return std::vector<TensorType>{{x.element, slice->extent}};
}

std::vector<GradientPart> slice_gradient(const OperationTypes& types) {
  return {{.kind = Operator::SliceGradient,
           .attributes = types.attributes,
           .operands = {OutputGradient{0}},
           .of_inputs = {0}}};
}

StridedCopy copy_of_slice(const TensorType& x, const SliceAttributes& slice) {
  const std::vector<std::int64_t> dense = dense_strides(x.shape);
  StridedCopy copy{.x = x, .extents = slice.extent, .strides = {}};
  for (std::size_t d = 0; d < dense.size(); ++d) {
    copy.offset += slice.start[d] * dense[d];
    copy.strides.push_back(slice.extent[d] == 1 ? 0 : slice.step[d] * dense[d]);
  }
  return copy;
}

KernelCall slice_call(const OperationTypes& types) {
  return copy_call(copy_of_slice(types.inputs[0], std::get<SliceAttributes>(types.attributes)));
}

KernelCall slice_gradient_call(const OperationTypes& types) {
  return {.function = POET_KERNEL(poet_strided_copy_gradient),
          .shape = copy_words(
              copy_of_slice(types.outputs[0], std::get<SliceAttributes>(types.attributes))),
          .inputs = {0},
          .outputs = {0}};
}

// --- Concat

// Nothing when `type` can stand beside the first input along the axis.
Failure check_beside(const TensorType& type, const TensorType& first, std::int64_t axis) {
  TensorType like_first = first;
  if (type.shape.size() == first.shape.size())
    like_first.shape[static_cast<std::size_t>(axis)] = type.shape[static_cast<std::size_t>(axis)];
  if (type == like_first) return std::nullopt;
  return bad_input(
      fmt::format("{} does not go with {} along axis {}", to_text(type), to_text(first), axis));
}

OutputTypes concat_type(const OperationTypes& types) {
  const TensorType& first = types.inputs[0];
  const auto* const attributes = std::get_if<AxisAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("concatenation");
  if (attributes->axis < 0 || attributes->axis >= rank_of(first))
    return bad_input(
        fmt::format("axis {} is out of range for {}", attributes->axis, to_text(first)));
  TensorType y = first;
  std::int64_t& extent = y.shape[static_cast<std::size_t>(attributes->axis)];
  extent = 0;
  for (const TensorType& input : types.inputs) {
    if (Failure failure = check_beside(input, first, attributes->axis)) return *failure;
    extent += input.shape[static_cast<std::size_t>(attributes->axis)];
  }
  return std::vector<TensorType>{y};
}

// The gradient by each input is its part of the output's gradient.
std::vector<GradientPart> concat_gradient(const OperationTypes& types) {
  const auto axis = static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis);
  std::vector<GradientPart> parts;
  std::int64_t begin = 0;
  for (const TensorType& input : types.inputs) {
    SliceAttributes slice{.start = std::vector<std::int64_t>(input.shape.size(), 0),
                          .step = std::vector<std::int64_t>(input.shape.size(), 1),
                          .extent = input.shape};
    slice.start[axis] = begin;
    begin += input.shape[axis];
    parts.push_back({.kind = Operator::Slice,
                     .attributes = std::move(slice),
                     .operands = {OutputGradient{0}},
                     .of_inputs = {static_cast<int>(parts.size())}});
  }
  return parts;
}

// poet_concat_shape (poet/runtime/concat.h); absent inputs have extent 0 and a null pointer.
KernelCall concat_call(const OperationTypes& types) {
  const auto axis = static_cast<std::ptrdiff_t>(std::get<AxisAttributes>(types.attributes).axis);
  const Shape& first = types.inputs[0].shape;
  std::vector<std::int64_t> extents;
  for (const TensorType& input : types.inputs)
    extents.push_back(input.shape[static_cast<std::size_t>(axis)]);
  KernelCall call{
      .function = types.inputs.size() == 2 ? POET_KERNEL(poet_concat2_forward)
                                           : POET_KERNEL(poet_concat8_forward),
      .shape = KernelWords()
                   .integer("element_bytes", byte_size(types.inputs[0].element))
                   .integer("outer", value_count({first.begin(), first.begin() + axis}))
                   .integer("inner", value_count({first.begin() + axis + 1, first.end()}))
                   .array("extents", extents, 0)
                   .take(),
      .inputs = std::vector<std::optional<int>>(types.inputs.size() == 2 ? 2 : kMostConcatInputs),
      .outputs = {0}};
  for (std::size_t i = 0; i < types.inputs.size(); ++i) call.inputs[i] = static_cast<int>(i);
  return call;
}

// --- Expand

OutputTypes expand_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const attributes = std::get_if<ShapeAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("broadcast");
  const TensorType y{x.element, attributes->shape};
  if (Failure failure = check_shape(y.shape, "what is asked for")) return *failure;
  if (Failure failure = require_rank(y, "what is asked for")) return *failure;
  const Result<Shape> both = broadcast_shape(x.shape, y.shape);
  if (!both.ok() || *both != y.shape)
    return bad_input(
        fmt::format("{} does not broadcast to the shape {}", to_text(x), to_text(y.shape)));
  return std::vector<TensorType>{y};
}

std::vector<GradientPart> expand_gradient(const OperationTypes&) {
  return {{.kind = Operator::BroadcastSum,
           .attributes = ScalarAttributes{.alpha = 1},
           .operands = {OutputGradient{0}},
           .of_inputs = {0}}};
}

KernelCall expand_call(const OperationTypes& types) {
  const Shape& y = types.outputs[0].shape;
  return copy_call({.x = types.inputs[0],
                    .extents = y,
                    .offset = 0,
                    .strides = broadcast_strides(types.inputs[0].shape, y)});
}

// --- Cast

struct Conversion {
  ElementType from{};
  ElementType to{};
  Kernel function;
};

constexpr Conversion kConversions[] = {
    {ElementType::Float32, ElementType::Int32, POET_KERNEL(poet_cast_forward_f32_to_i32)},
    {ElementType::Float32, ElementType::Int64, POET_KERNEL(poet_cast_forward_f32_to_i64)},
    {ElementType::Float32, ElementType::Uint8, POET_KERNEL(poet_cast_forward_f32_to_u8)},
    {ElementType::Float32, ElementType::Bool, POET_KERNEL(poet_cast_forward_f32_to_bool)},
    {ElementType::Int32, ElementType::Float32, POET_KERNEL(poet_cast_forward_i32_to_f32)},
    {ElementType::Int64, ElementType::Float32, POET_KERNEL(poet_cast_forward_i64_to_f32)},
    {ElementType::Uint8, ElementType::Float32, POET_KERNEL(poet_cast_forward_u8_to_f32)},
    {ElementType::Bool, ElementType::Float32, POET_KERNEL(poet_cast_forward_u8_to_f32)},
    {ElementType::Int32, ElementType::Int64, POET_KERNEL(poet_cast_forward_i32_to_i64)},
    {ElementType::Int64, ElementType::Int32, POET_KERNEL(poet_cast_forward_i64_to_i32)},
};

const Conversion* conversion(ElementType from, ElementType to) {
  for (const Conversion& row : kConversions)
    if (row.from == from && row.to == to) return &row;
  return nullptr;
}

OutputTypes cast_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const attributes = std::get_if<CastAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("cast");
  if (conversion(x.element, attributes->to) == nullptr)
    return bad_input(
        fmt::format("does not make {} of {}: one of the two must be float32, or one "
                    "int32 and the other int64",
                    name_of(kElementTypes, attributes->to), to_text(x)));
  return std::vector<TensorType>{{attributes->to, x.shape}};
}

KernelCall cast_call(const OperationTypes& types) {
  const Conversion* const row = conversion(types.inputs[0].element, types.outputs[0].element);
  POET_CHECK(row != nullptr);
  return {.function = row->function,
          .shape = KernelWords().integer("count", value_count(types.inputs[0].shape)).take(),
          .inputs = {0},
          .outputs = {0}};
}

}  // namespace

std::vector<OperatorEntry> move_operators() {
  return {{.id = Operator::Reshape,
           .name = "reshape",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = reshape_type,
           .flop = no_flop,
           .moved_bytes = no_bytes,
           .gradient = reshape_gradient,
           .kernel = nullptr,
           .divides = nullptr,
           .parts = InParts{.axes = reshape_axes, .part = shaped_part},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Reshape", 1),
           .view = true},
          {.id = Operator::Transpose,
           .name = "transpose",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = transpose_type,
           .flop = no_flop,
           .gradient = transpose_gradient,
           .kernel = transpose_call,
           .divides = along_copy,
           .parts = InParts{transpose_axes},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Transpose", 1)},
          {.id = Operator::Slice,
           .name = "slice",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = slice_type,
           .flop = no_flop,
           .moved_bytes = bytes_of_output_twice,
           .gradient = slice_gradient,
           .kernel = slice_call,
           .divides = along_copy,
           .parts = InParts{.axes = slice_axes, .part = slice_part},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Slice", 1),
           .drawn = DrawnAs::Layer},
          {.id = Operator::SliceGradient,
           .name = "slice_gradient",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = nullptr,
           .flop = no_flop,
           .gradient = nullptr,
           .kernel = slice_gradient_call,
           .divides = nullptr,
           .parts = InParts{.axes = slice_axes, .part = slice_gradient_part},
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx},
          {.id = Operator::Concat,
           .name = "concat",
           .least_inputs = 1,
           .most_inputs = kMostConcatInputs,
           .roles = kPlainInputs,
           .output_types = concat_type,
           .flop = no_flop,
           .gradient = concat_gradient,
           .kernel = concat_call,
           .divides = nullptr,
           .parts = InParts{.axes = concat_axes, .part = concat_part},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Concat", 1)},
          {.id = Operator::Expand,
           .name = "expand",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = expand_type,
           .flop = no_flop,
           .gradient = expand_gradient,
           .kernel = expand_call,
           .divides = along_copy,
           .parts = InParts{.axes = broadcast_axes, .part = shaped_part},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Expand", 8)},
          {.id = Operator::Cast,
           .name = "cast",
           .least_inputs = 1,
           .most_inputs = 1,
           .roles = kPlainInputs,
           .output_types = cast_type,
           .flop = no_flop,
           .gradient = nullptr,
           .kernel = cast_call,
           .divides = nullptr,
           .parts = InParts{broadcast_axes},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("Cast", 1),
           .in_place = {{0, 0}}}};
}

}  // namespace poet
