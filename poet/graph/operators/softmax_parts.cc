#include <fmt/format.h>

#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/runtime/softmax_parts.h"

// Softmax and its logarithm with their dimension in blocks (poet/runtime/softmax_parts.h). What
// goes from block to block has the shape of a block without that dimension.

namespace poet {
namespace {

struct PartRow {
  Operator id{};
  std::string_view name = {};
  int blocks = 1;  // of the inputs the first are blocks, the others without the dimension
  int others = 0;
  bool carries =
      false;  // what is made has no dimension either, and may go on from one that is there
  int flop_per_value = 1;
  Kernel function = {};
  std::vector<SharedPlace> in_place = {};
};

const std::vector<PartRow>& part_rows() {
  static const std::vector<PartRow> rows = {
      {Operator::SoftmaxLargestPart,
       "softmax_largest_part",
       1,
       0,
       true,
       1,
       POET_KERNEL(poet_softmax_largest_part_f32),
       {{1, 0}}},
      {Operator::SoftmaxSumPart,
       "softmax_sum_part",
       1,
       1,
       true,
       3,
       POET_KERNEL(poet_softmax_sum_part_f32),
       {{2, 0}}},
      {Operator::SoftmaxApply,
       "softmax_apply",
       1,
       2,
       false,
       3,
       POET_KERNEL(poet_softmax_apply_f32),
       {{0, 0}}},
      {Operator::LogSoftmaxApply,
       "log_softmax_apply",
       1,
       2,
       false,
       3,
       POET_KERNEL(poet_log_softmax_apply_f32),
       {{0, 0}}},
      {Operator::SoftmaxGradientSumPart,
       "softmax_gradient_sum_part",
       2,
       0,
       true,
       2,
       POET_KERNEL(poet_softmax_gradient_sum_part_f32),
       {{2, 0}}},
      {Operator::LogSoftmaxGradientSumPart,
       "log_softmax_gradient_sum_part",
       1,
       0,
       true,
       1,
       POET_KERNEL(poet_log_softmax_gradient_sum_part_f32),
       {{1, 0}}},
      {Operator::SoftmaxGradientApply,
       "softmax_gradient_apply",
       2,
       1,
       false,
       2,
       POET_KERNEL(poet_softmax_gradient_apply_f32),
       {{1, 0}, {0, 0}}},
      {Operator::LogSoftmaxGradientApply,
       "log_softmax_gradient_apply",
       2,
       1,
       false,
       3,
       POET_KERNEL(poet_log_softmax_gradient_apply_f32),
       {{1, 0}, {0, 0}}},
  };
  return rows;
}

const PartRow& row_of(Operator id) {
  const auto first = static_cast<std::size_t>(Operator::SoftmaxLargestPart);
  return part_rows()[static_cast<std::size_t>(id) - first];
}

OutputTypes output_types(const OperationTypes& types) {
  const auto* const attributes = std::get_if<AxisAttributes>(&types.attributes);
  if (attributes == nullptr) return wrong_attributes("softmax");
  if (Failure failure = demand_float32(types)) return *failure;
  const PartRow& row = row_of(types.kind);
  const TensorType& block = types.inputs[0];
  if (attributes->axis < 0 || attributes->axis >= rank_of(block))
    return bad_input(fmt::format("axis {} is not a dimension of the input {}", attributes->axis,
                                 to_text(block.shape)));
  TensorType other = block;
  other.shape.erase(other.shape.begin() + attributes->axis);
  for (std::size_t i = 1; i < types.inputs.size(); ++i) {
    const bool is_block = i < static_cast<std::size_t>(row.blocks);
    if (Failure failure =
            require_type(types.inputs[i], is_block ? block : other, fmt::format("input {}", i)))
      return *failure;
  }
  return std::vector<TensorType>{row.carries ? other : block};
}

std::int64_t flop(const OperationTypes& types) {
  return row_of(types.kind).flop_per_value * value_count(types.inputs[0].shape);
}

KernelCall kernel_call(const OperationTypes& types) {
  const PartRow& row = row_of(types.kind);
  const Shape& block = types.inputs[0].shape;
  const auto axis = block.begin() + std::get<AxisAttributes>(types.attributes).axis;
  KernelCall call{.function = row.function,
                  .shape = KernelWords()
                               .integer("outer", value_count({block.begin(), axis}))
                               .integer("axis", *axis)
                               .integer("inner", value_count({axis + 1, block.end()}))
                               .take(),
                  .inputs = {},
                  .outputs = {0}};
  for (int i = 0; i < static_cast<int>(types.inputs.size()); ++i) call.inputs.emplace_back(i);
  call.inputs.resize(static_cast<std::size_t>(row.function.inputs));
  return call;
}

}  // namespace

std::vector<OperatorEntry> softmax_part_operators() {
  std::vector<OperatorEntry> rows;
  for (const PartRow& row : part_rows())
    rows.push_back(
        {.id = row.id,
         .name = row.name,
         .least_inputs = row.blocks + row.others,
         .most_inputs = row.blocks + row.others + (row.carries ? 1 : 0),
         .roles = kPlainInputs,
         .output_types = output_types,
         .flop = flop,
         .gradient = nullptr,
         .kernel = kernel_call,
         .divides = nullptr,
         .parts = InParts{.axes = class_axes,
                          .continued = row.carries ? std::optional(row.id) : std::nullopt},
         .domain = kPositiveNumbers,
         .onnx = kNotInOnnx,
         .in_place = row.in_place});
  return rows;
}

}  // namespace poet
