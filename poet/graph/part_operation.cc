#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/part_axes.h"

// What an operation's part is where it goes on with the sum of another. What it is by itself, the
// operator's row says.

namespace poet {

Shape extents_of(const std::vector<Range>& ranges) {
  Shape shape;
  for (const Range& range : ranges) shape.push_back(range.extent());
  return shape;
}

PartOperation on_all_inputs(const OperationTypes& types, Attributes attributes) {
  PartOperation part{.kind = types.kind, .attributes = std::move(attributes)};
  for (std::size_t i = 0; i < types.inputs.size(); ++i) part.inputs.push_back(static_cast<int>(i));
  return part;
}

PartOperation part_operation(const OperationTypes& types, const std::vector<PartAxis>& axes,
                             const std::vector<Range>& ranges, bool first, bool last) {
  const InParts& row = entry_of(types.kind).parts;
  PartOperation part =
      row.part != nullptr ? row.part(types, axes, ranges) : on_all_inputs(types, types.attributes);
  if (first && last) return part;
  // What comes after the sum, a factor, a bias or a division, comes with the last part.
  if (!last) {
    if (auto* const product = std::get_if<MatMulAttributes>(&part.attributes)) {
      product->alpha = 1;
      if (part.inputs.size() == 3) part.inputs.pop_back();
    }
    if (std::holds_alternative<WindowAttributes>(part.attributes) && part.inputs.size() == 3)
      part.inputs.pop_back();
    if (auto* const factor = std::get_if<ScalarAttributes>(&part.attributes);
        factor && factor->alpha != -1)
      factor->alpha = 1;
  }
  if (types.kind == Operator::ReduceMean) {
    part.kind = Operator::ReduceSum;
    if (last) {
      const auto& reduced = std::get<ReduceAttributes>(types.attributes);
      part.attributes = ReducePartAttributes{
          .axes = reduced.axes,
          .keeps_dimensions = reduced.keeps_dimensions,
          .count = value_count(types.inputs[0].shape) / value_count(types.outputs[0].shape)};
      part.kind = Operator::ReduceMeanContinued;
      part.inputs_before_sum = 1;
      return part;
    }
  }
  if (first) return part;
  const std::optional<Operator> continued = entry_of(part.kind).parts->continued;
  POET_CHECK(continued);
  part.kind = *continued;
  if (auto* const rows = std::get_if<RowPartAttributes>(&part.attributes)) rows->continues = true;
  if (auto* const of_classes = std::get_if<ClassPartAttributes>(&part.attributes))
    of_classes->continues = true;
  // The bias of a product or convolution stands behind the sum.
  const bool has_bias =
      part.inputs.size() == 3 && (types.kind == Operator::MatMul ||
                                  std::holds_alternative<WindowAttributes>(types.attributes));
  // So do weights of classes behind a sum of losses.
  const bool has_weights =
      part.inputs.size() == 3 && std::holds_alternative<LossAttributes>(types.attributes);
  part.inputs_before_sum = static_cast<int>(part.inputs.size()) - (has_bias || has_weights ? 1 : 0);
  return part;
}

}  // namespace poet
