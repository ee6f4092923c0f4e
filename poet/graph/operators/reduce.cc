#include <fmt/format.h>

#include <algorithm>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/strided_walk.h"
#include "poet/runtime/reduce.h"

// Sums and the like over some dimensions. A gradient's attributes are those of its operator: the
// axes are dimensions of the input, which its output is like.

namespace poet {
namespace {

// What a gradient reads besides dy.
enum class Reads { Nothing, Input, InputAndOutput };

struct ReduceRow {
  Operator id{};
  Operator gradient{};
  std::string_view name;
  std::string_view gradient_name;
  Kernel forward_function;
  Kernel gradient_function;
  Reads gradient_reads{};
  std::int64_t flop_per_input = 0;
  std::int64_t flop_per_output = 0;
  std::int64_t gradient_flop_per_input = 0;
  InputDomain domain;
  InputDomain gradient_domain;
  OnnxName onnx;
};

#define POET_REDUCTION(Id, name, reads, input_flop, output_flop, gradient_flop, domain,        \
                       gradient_domain, onnx)                                                  \
  {                                                                                            \
    Operator::Reduce##Id, Operator::Reduce##Id##Gradient, "reduce_" #name,                     \
        "reduce_" #name "_gradient", POET_KERNEL(poet_reduce_##name##_forward_f32),            \
        POET_KERNEL(poet_reduce_##name##_gradient_f32), Reads::reads, input_flop, output_flop, \
        gradient_flop, domain, gradient_domain, onnx                                           \
  }

// A product of many numbers must neither vanish nor overflow.
constexpr InputDomain kNearOne{.least = 1, .range = 0x1p-20F};

// FLOP: additions, comparisons, multiplications and divisions count 1 each, and so does each call
// of an exponential, logarithm or root; a sum of k values counts k.
constexpr ReduceRow kReduceRows[] = {
    POET_REDUCTION(Sum, sum, Nothing, 1, 0, 0, kAnyNumbers, kAnyNumbers,
                   reduction_in_onnx("ReduceSum", 1)),
    POET_REDUCTION(Mean, mean, Nothing, 1, 1, 1, kAnyNumbers, kAnyNumbers,
                   reduction_in_onnx("ReduceMean", 1)),
    POET_REDUCTION(Max, max, InputAndOutput, 1, 0, 1, kAnyNumbers, kAnyNumbers,
                   reduction_in_onnx("ReduceMax", 1)),
    POET_REDUCTION(Min, min, InputAndOutput, 1, 0, 1, kAnyNumbers, kAnyNumbers,
                   reduction_in_onnx("ReduceMin", 1)),
    POET_REDUCTION(Product, product, InputAndOutput, 1, 0, 2, kNearOne, kNearOne,
                   reduction_in_onnx("ReduceProd", 1)),
    POET_REDUCTION(SumSquare, sum_of_squares, Input, 2, 0, 2, kAnyNumbers, kAnyNumbers,
                   reduction_in_onnx("ReduceSumSquare", 1)),
    POET_REDUCTION(L2, l2, InputAndOutput, 2, 1, 2, kAnyNumbers, kPositiveNumbers,
                   reduction_in_onnx("ReduceL2", 1)),
    POET_REDUCTION(LogSumExp, log_sum_exp, InputAndOutput, 4, 2, 3, kAnyNumbers, kAnyNumbers,
                   reduction_in_onnx("ReduceLogSumExp", 1)),
};

#undef POET_REDUCTION

const ReduceRow& row_of(Operator id) {
  for (const ReduceRow& row : kReduceRows)
    if (row.id == id || row.gradient == id) return row;
  check_failed("every reduction has a row", __FILE__, __LINE__);
}

bool is_reduced(const ReduceAttributes& attributes, std::size_t dimension) {
  return std::binary_search(attributes.axes.begin(), attributes.axes.end(),
                            static_cast<std::int64_t>(dimension));
}

Failure check_axes(const ReduceAttributes& attributes, const TensorType& x) {
  std::int64_t least = 0;
  for (const std::int64_t axis : attributes.axes) {
    if (axis < 0 || axis >= rank_of(x))
      return bad_input(fmt::format("axis {} is out of range for {}: there are {} dimensions", axis,
                                   to_text(x), rank_of(x)));
    if (axis < least)
      return bad_input(fmt::format("axis {} comes after {}: axes must increase", axis, least - 1));
    least = axis + 1;
  }
  return std::nullopt;
}

OutputTypes reduced_type(const OperationTypes& types) {
  const TensorType& x = types.inputs[0];
  const auto* const attributes = std::get_if<ReduceAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("reduction");
  if (Failure failure = require_element(x, ElementType::Float32, "the input")) return *failure;
  if (Failure failure = require_rank(x, "the input")) return *failure;
  if (Failure failure = check_axes(*attributes, x)) return *failure;
  TensorType y{ElementType::Float32, {}};
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    if (!is_reduced(*attributes, d)) {
      y.shape.push_back(x.shape[d]);
    } else if (attributes->keeps_dimensions) {
      y.shape.push_back(1);
    }
  }
  return std::vector<TensorType>{y};
}

std::int64_t flop(const OperationTypes& types) {
  const ReduceRow& row = row_of(types.kind);
  return row.flop_per_input * value_count(types.inputs[0].shape) +
         row.flop_per_output * value_count(types.outputs[0].shape);
}

std::int64_t gradient_flop(const OperationTypes& types) {
  return row_of(types.kind).gradient_flop_per_input * value_count(types.outputs[0].shape);
}

std::vector<GradientOperand> operands_of(Reads reads) {
  switch (reads) {
    case Reads::Nothing:
      return {OutputGradient{0}};
    case Reads::Input:
      return {ForwardInput{0}, OutputGradient{0}};
    case Reads::InputAndOutput:
      return {ForwardInput{0}, ForwardOutput{0}, OutputGradient{0}};
  }
  check_failed("every gradient reads something", __FILE__, __LINE__);
}

std::vector<GradientPart> gradient(const OperationTypes& types) {
  const ReduceRow& row = row_of(types.kind);
  return {{.kind = row.gradient,
           .attributes = types.attributes,
           .operands = operands_of(row.gradient_reads),
           .of_inputs = {0}}};
}

// poet_reduce_shape (poet/runtime/reduce.h) for an input of the shape `x`.
std::vector<KernelWord> reduce_words(const Shape& x, const ReduceAttributes& attributes) {
  const std::vector<std::int64_t> dense = dense_strides(x);
  StridedWalk kept{.extents = {}, .strides = {{}}};
  StridedWalk reduced{.extents = {}, .strides = {{}}};
  for (std::size_t d = 0; d < x.size(); ++d) {
    StridedWalk& walk = is_reduced(attributes, d) ? reduced : kept;
    walk.extents.push_back(x[d]);
    walk.strides[0].push_back(dense[d]);
  }
  kept = merged(kept);
  reduced = merged(reduced);
  return KernelWords()
      .integer("kept_rank", static_cast<std::int64_t>(kept.extents.size()))
      .integer("reduced_rank", static_cast<std::int64_t>(reduced.extents.size()))
      .array("kept_extents", kept.extents, 1)
      .array("reduced_extents", reduced.extents, 1)
      .array("kept_strides", kept.strides[0], 0)
      .array("reduced_strides", reduced.strides[0], 0)
      .take();
}

KernelCall forward_call(const OperationTypes& types) {
  return {
      .function = row_of(types.kind).forward_function,
      .shape = reduce_words(types.inputs[0].shape, std::get<ReduceAttributes>(types.attributes)),
      .inputs = {0},
      .outputs = {0}};
}

KernelCall gradient_call(const OperationTypes& types) {
  const ReduceRow& row = row_of(types.kind);
  KernelCall call{
      .function = row.gradient_function,
      .shape = reduce_words(types.outputs[0].shape, std::get<ReduceAttributes>(types.attributes)),
      .inputs = {},
      .outputs = {0}};
  for (std::size_t i = 0; i < types.inputs.size(); ++i)
    call.inputs.emplace_back(static_cast<int>(i));
  return call;
}

// --- In parts: x, and the sum that is continued

ReduceAttributes reduction_of(const OperationTypes& types) {
  if (const auto* const part = std::get_if<ReducePartAttributes>(&types.attributes))
    return {part->axes, part->keeps_dimensions};
  return std::get<ReduceAttributes>(types.attributes);
}

OutputTypes continued_type(const OperationTypes& types) {
  const bool is_mean = types.kind == Operator::ReduceMeanContinued;
  if (is_mean ? !std::holds_alternative<ReducePartAttributes>(types.attributes)
              : !std::holds_alternative<ReduceAttributes>(types.attributes))
    return wrong_attributes(is_mean ? "part of a mean" : "reduction");
  OutputTypes y = reduced_type({.kind = Operator::ReduceSum,
                                .attributes = reduction_of(types),
                                .inputs = {types.inputs[0]}});
  if (!y.ok()) return y;
  if (Failure failure = require_type(types.inputs[1], y->front(), "the sum")) return *failure;
  if (!is_mean) return y;
  const std::int64_t count = std::get<ReducePartAttributes>(types.attributes).count;
  if (count < 1 || count > kMaxValues)
    return bad_input(fmt::format("a mean is of 1 to {} values, not {}", kMaxValues, count));
  return y;
}

std::int64_t continued_flop(const OperationTypes& types) {
  const std::int64_t divisions =
      types.kind == Operator::ReduceMeanContinued ? value_count(types.outputs[0].shape) : 0;
  return value_count(types.inputs[0].shape) + divisions;
}

KernelCall continued_call(const OperationTypes& types) {
  KernelCall call{.function = POET_KERNEL(poet_reduce_sum_continued_f32),
                  .shape = reduce_words(types.inputs[0].shape, reduction_of(types)),
                  .inputs = {0, 1},
                  .outputs = {0}};
  if (types.kind == Operator::ReduceSumContinued) return call;
  call.function = POET_KERNEL(poet_reduce_mean_continued_f32);
  for (KernelWord& word : call.shape) word.field.insert(0, "part.");
  const std::int64_t count = std::get<ReducePartAttributes>(types.attributes).count;
  call.shape.push_back({"count", static_cast<std::int32_t>(count)});
  return call;
}

// The first parts of a mean are sums.
InParts in_parts(Operator id) {
  InParts parts{reduce_axes};
  if (id == Operator::ReduceSum) parts.continued = Operator::ReduceSumContinued;
  return parts;
}

OperatorEntry continued_row(Operator id, std::string_view name) {
  return {.id = id,
          .name = name,
          .least_inputs = 2,
          .most_inputs = 2,
          .roles = kPlainInputs,
          .output_types = continued_type,
          .flop = continued_flop,
          .gradient = nullptr,
          .kernel = continued_call,
          .divides = nullptr,
          .parts = kDoneWhole,
          .domain = kAnyNumbers,
          .onnx = kNotInOnnx,
          .in_place = {{1, 0}}};
}

OperatorEntry gradient_row(const ReduceRow& row) {
  const auto inputs = static_cast<int>(operands_of(row.gradient_reads).size());
  OperatorEntry entry{.id = row.gradient,
                      .name = row.gradient_name,
                      .least_inputs = inputs,
                      .most_inputs = inputs,
                      .roles = kPlainInputs,
                      .output_types = nullptr,
                      .flop = gradient_flop,
                      .gradient = nullptr,
                      .kernel = gradient_call,
                      .divides = nullptr,
                      .parts = InParts{reduce_gradient_axes},
                      .domain = row.gradient_domain,
                      .onnx = kNotInOnnx};
  if (row.gradient_reads != Reads::Nothing) entry.in_place = {{0, 0}};
  return entry;
}

}  // namespace

std::vector<OperatorEntry> reduce_operators() {
  std::vector<OperatorEntry> rows;
  for (const ReduceRow& row : kReduceRows) {
    rows.push_back({.id = row.id,
                    .name = row.name,
                    .least_inputs = 1,
                    .most_inputs = 1,
                    .roles = kPlainInputs,
                    .output_types = reduced_type,
                    .flop = flop,
                    .gradient = gradient,
                    .kernel = forward_call,
                    .divides = nullptr,
                    .parts = in_parts(row.id),
                    .domain = row.domain,
                    .onnx = row.onnx,
                    .drawn = row.id == Operator::ReduceMean ? DrawnAs::Layer : DrawnAs::PartOf});
    rows.push_back(gradient_row(row));
  }
  rows.push_back(continued_row(Operator::ReduceSumContinued, "reduce_sum_continued"));
  rows.push_back(continued_row(Operator::ReduceMeanContinued, "reduce_mean_continued"));
  return rows;
}

}  // namespace poet
