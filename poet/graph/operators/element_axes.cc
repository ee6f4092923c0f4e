#include "poet/graph/operators/axes.h"

// Of every value by itself, of operands that are broadcast, and sums over dimensions.

namespace poet {

// The dimension of an operand that is broadcast along dimension d of a shape of `rank`; none where
// it has one value there.
std::optional<Follows> broadcast_dimension(const Shape& operand, std::size_t d, std::size_t rank) {
  if (operand.size() + d < rank) return std::nullopt;
  const std::size_t own = operand.size() + d - rank;
  if (operand[own] == 1) return std::nullopt;
  return dimension(own);
}

// Along every dimension of the output, whose inputs are broadcast to it.
Axes broadcast_axes(const OperationTypes& types) {
  const Shape& y = types.outputs[0].shape;
  Axes axes;
  for (std::size_t d = 0; d < y.size(); ++d) {
    PartAxis axis = axis_of(types, y[d]);
    for (std::size_t i = 0; i < types.inputs.size(); ++i)
      axis.inputs[i] = broadcast_dimension(types.inputs[i].shape, d, y.size());
    axis.outputs[0] = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

// Along every dimension of the output; what else is read has its type, or is read whole.
Axes pointwise_axes(const OperationTypes& types) {
  const Shape& y = types.outputs[0].shape;
  Axes axes;
  for (std::size_t d = 0; d < y.size(); ++d) {
    PartAxis axis = axis_of(types, y[d]);
    for (std::size_t i = 0; i < types.inputs.size(); ++i)
      if (types.inputs[i] == types.outputs[0]) axis.inputs[i] = dimension(d);
    for (std::size_t o = 0; o < types.outputs.size(); ++o) axis.outputs[o] = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

// A loss that makes one number of all values has that made of them in stages.
Axes value_loss_axes(const OperationTypes& types) {
  const Reduction reduction = std::get<LossAttributes>(types.attributes).reduction;
  const bool is_gradient = types.kind == Operator::MeanSquaredErrorGradient ||
                           types.kind == Operator::BinaryCrossEntropyGradient;
  if (reduction == Reduction::Mean || (reduction == Reduction::Sum && !is_gradient)) return {};
  return pointwise_axes(types);
}

namespace {

// The gradient by an operand that was repeated: dy is summed to its shape. Along what is kept, and
// the outermost dimension that is summed.
Axes summed_operand_axes(const OperationTypes& types, bool continued) {
  const Shape& dy = types.inputs[0].shape;
  const Shape& operand = types.outputs[0].shape;
  Axes axes;
  for (std::size_t d = 0; d < dy.size(); ++d) {
    const std::optional<Follows> kept = broadcast_dimension(operand, d, dy.size());
    if (dy[d] == 1 || (!kept && !continued)) continue;
    if (!kept) continued = false;
    PartAxis axis = axis_of(types, dy[d], kept ? AxisKind::Independent : AxisKind::Continued);
    for (std::size_t i = 0; i < types.inputs.size(); ++i)
      axis.inputs[i] = broadcast_dimension(types.inputs[i].shape, d, dy.size());
    axis.outputs[0] = kept;
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace

Axes broadcast_sum_axes(const OperationTypes& types) {
  return summed_operand_axes(types, true);
}

Axes operand_gradient_axes(const OperationTypes& types) {
  return summed_operand_axes(types, false);
}

namespace {

// Dimension d of x in what was reduced; none where it is not there, or is one value.
std::optional<Follows> reduced_dimension(const ReduceAttributes& attributes, std::size_t d) {
  std::size_t gone = 0;
  for (const std::int64_t axis : attributes.axes) {
    if (axis == static_cast<std::int64_t>(d)) return std::nullopt;
    if (!attributes.keeps_dimensions && axis < static_cast<std::int64_t>(d)) ++gone;
  }
  return dimension(d - gone);
}

// Along what is kept, and of a sum or mean the outermost dimension that is not; of a reduction and
// of its gradient, which has what was reduced among its inputs and x among them or its output.
Axes axes_of_reduction(const OperationTypes& types, bool is_gradient) {
  const auto& attributes = std::get<ReduceAttributes>(types.attributes);
  const Shape& x = is_gradient ? types.outputs[0].shape : types.inputs[0].shape;
  const Shape& y = is_gradient ? types.inputs.back().shape : types.outputs[0].shape;
  bool goes_on = types.kind == Operator::ReduceSum || types.kind == Operator::ReduceMean;
  Axes axes;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const std::optional<Follows> kept = reduced_dimension(attributes, d);
    if (x[d] == 1 || (!kept && !goes_on)) continue;
    if (!kept) goes_on = false;
    PartAxis axis = axis_of(types, x[d], kept ? AxisKind::Independent : AxisKind::Continued);
    const auto of = [&](const TensorType& type, bool is_reduced) {
      return is_reduced || (is_gradient && type.shape == y) ? kept
                                                            : std::optional<Follows>{dimension(d)};
    };
    for (std::size_t i = 0; i < types.inputs.size(); ++i)
      axis.inputs[i] = of(types.inputs[i], false);
    axis.outputs[0] = of(types.outputs[0], !is_gradient);
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace

Axes reduce_axes(const OperationTypes& types) {
  return axes_of_reduction(types, false);
}

Axes reduce_gradient_axes(const OperationTypes& types) {
  return axes_of_reduction(types, true);
}

PartOperation dropout_part(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges) {
  PartOperation part = on_all_inputs(types, types.attributes);
  if (!is_cut_anywhere(axes, ranges)) return part;
  const auto& dropout = std::get<DropoutAttributes>(types.attributes);
  DropoutPartAttributes piece{.probability = dropout.probability,
                              .number = dropout.number,
                              .begin = {},
                              .whole = types.outputs[0].shape};
  for (const Range& range : part_region(piece.whole, axes, ranges, false, 0))
    piece.begin.push_back(range.begin);
  part.kind = Operator::DropoutPart;
  part.attributes = std::move(piece);
  return part;
}

}  // namespace poet
