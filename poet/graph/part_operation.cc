#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/part_axes.h"

// What an operation's part is: its attributes, the operator that goes on with a sum, and what
// stands for it where the operation is cut at all.

namespace poet {
namespace {

Shape extents_of(const std::vector<Range>& ranges) {
  Shape shape;
  for (const Range& range : ranges) shape.push_back(range.extent());
  return shape;
}

// How much of what an output has lies before what its input has, and behind it; negative where the
// input has more. The first value of the whole input is value begin[d] of the whole output.
PadAttributes margins_of_part(const OperationTypes& types, const Axes& axes,
                              const std::vector<Range>& ranges,
                              const std::vector<std::int64_t>& begin) {
  const std::vector<Range> in = part_region(types.inputs[0].shape, axes, ranges, true, 0);
  const std::vector<Range> out = part_region(types.outputs[0].shape, axes, ranges, false, 0);
  PadAttributes margins;
  for (std::size_t d = 0; d < begin.size(); ++d) {
    margins.begin.push_back(in[d].begin + begin[d] - out[d].begin);
    margins.end.push_back(out[d].end - in[d].end - begin[d]);
  }
  return margins;
}

std::vector<std::int64_t> negated(std::vector<std::int64_t> values) {
  for (std::int64_t& value : values) value = -value;
  return values;
}

SliceAttributes slice_part(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges) {
  SliceAttributes slice = std::get<SliceAttributes>(types.attributes);
  const std::vector<Range> in = part_region(types.inputs[0].shape, axes, ranges, true, 0);
  const std::vector<Range> out = part_region(types.outputs[0].shape, axes, ranges, false, 0);
  for (std::size_t d = 0; d < slice.start.size(); ++d)
    if (slice.step[d] == 1) slice.start[d] += out[d].begin - in[d].begin;
  slice.extent = extents_of(out);
  return slice;
}

Attributes part_attributes(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges) {
  const auto output = [&] {
    return extents_of(part_region(types.outputs[0].shape, axes, ranges, false, 0));
  };
  switch (types.kind) {
    case Operator::MatMul: {
      MatMulAttributes product = std::get<MatMulAttributes>(types.attributes);
      if (!product.sum_to) return product;
      product.sum_to = output();
      product.sum_to->resize(product.sum_to->size() - 2);
      return product;
    }
    case Operator::Conv:
    case Operator::ConvInputGradient:
    case Operator::ConvWeightGradient:
    case Operator::ConvTranspose:
    case Operator::ConvTransposeInputGradient:
    case Operator::ConvTransposeWeightGradient:
    case Operator::MaxPool:
    case Operator::AveragePool:
      return window_part(types, axes, ranges);
    case Operator::Reshape:
    case Operator::Expand:
      return ShapeAttributes{output()};
    case Operator::Slice:
      return slice_part(types, axes, ranges);
    case Operator::RowSumPart:
    case Operator::RowSpreadPart:
    case Operator::RowGradientSumsPart:
    case Operator::LayerNormGradientSumsPart:
      return row_part(types, axes, ranges);
    case Operator::LabelScorePart:
    case Operator::ClassScoreSumPart:
    case Operator::SoftmaxCrossEntropyGradientBlock: {
      ClassPartAttributes part = std::get<ClassPartAttributes>(types.attributes);
      part.begin += part_region(types.inputs[0].shape, axes, ranges, true, 0)[1].begin;
      return part;
    }
    default:
      return types.attributes;
  }
}

// Which operator goes on with a sum of another.
std::optional<Operator> continued_operator(Operator kind) {
  switch (kind) {
    case Operator::MatMul:
      return Operator::MatMulContinued;
    case Operator::Conv:
      return Operator::ConvContinued;
    case Operator::ConvInputGradient:
      return Operator::ConvInputGradientContinued;
    case Operator::ConvWeightGradient:
      return Operator::ConvWeightGradientContinued;
    case Operator::ConvBiasGradient:
      return Operator::ConvBiasGradientContinued;
    case Operator::ConvTranspose:
      return Operator::ConvTransposeContinued;
    case Operator::ConvTransposeInputGradient:
      return Operator::ConvTransposeInputGradientContinued;
    case Operator::ConvTransposeWeightGradient:
      return Operator::ConvTransposeWeightGradientContinued;
    case Operator::BroadcastSum:
      return Operator::BroadcastSumContinued;
    case Operator::ReduceSum:
      return Operator::ReduceSumContinued;
    case Operator::RowSumPart:
    case Operator::RowSpreadPart:
    case Operator::RowGradientSumsPart:
    case Operator::LayerNormGradientSumsPart:
    case Operator::LayerNormScaleGradient:
    case Operator::GatherBlock:
    case Operator::GatherGradientBlock:
    case Operator::LabelCount:
    case Operator::LabelScorePart:
    case Operator::ClassScoreSumPart:
    case Operator::SoftmaxCrossEntropyEnd:
    case Operator::SoftmaxLargestPart:
    case Operator::SoftmaxSumPart:
    case Operator::SoftmaxGradientSumPart:
    case Operator::LogSoftmaxGradientSumPart:
      return kind;  // a state, or sums, as its last inputs
    case Operator::SoftmaxCrossEntropy:
      return Operator::SoftmaxCrossEntropyContinued;
    case Operator::NegativeLogLikelihood:
      return Operator::NegativeLogLikelihoodContinued;
    default:
      return std::nullopt;
  }
}

// Where a slice or margin is cut, what is left of either is margins: of zeros in a gradient.
void be_margins(const OperationTypes& types, const Axes& axes, const std::vector<Range>& ranges,
                PartOperation& part) {
  const auto* const pad = std::get_if<PadAttributes>(&types.attributes);
  if (pad == nullptr) {
    const auto& slice = std::get<SliceAttributes>(types.attributes);
    if (!has_gaps(slice)) {
      part.kind = Operator::Pad;
      part.attributes = margins_of_part(types, axes, ranges, slice.start);
      return;
    }
    SliceAttributes cut = slice;
    cut.extent = extents_of(part_region(types.inputs[0].shape, axes, ranges, true, 0));
    part.attributes = cut;
    return;
  }
  const bool is_gradient = types.kind == Operator::PadGradient;
  PadAttributes margins =
      margins_of_part(types, axes, ranges, is_gradient ? negated(pad->begin) : pad->begin);
  if (!is_gradient) {
    margins.mode = pad->mode;
    margins.value = pad->value;
  } else {
    margins = {.begin = negated(margins.begin), .end = negated(margins.end), .mode = pad->mode};
  }
  part.attributes = std::move(margins);
}

// Of the inputs only those that the part has values of.
void be_concatenated(const OperationTypes& types, const Axes& axes,
                     const std::vector<Range>& ranges, PartOperation& part) {
  const auto joined = static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis);
  const Range out = part_region(types.outputs[0].shape, axes, ranges, false, 0)[joined];
  std::int64_t begin = 0;
  part.inputs.clear();
  for (std::size_t i = 0; i < types.inputs.size(); ++i) {
    const std::int64_t end = begin + types.inputs[i].shape[joined];
    if (begin < out.end && end > out.begin) part.inputs.push_back(static_cast<int>(i));
    begin = end;
  }
}

// Where the operation is cut at all, it may be one of another kind.
void be_a_part(const OperationTypes& types, const Axes& axes, const std::vector<Range>& ranges,
               PartOperation& part) {
  if (types.kind == Operator::Dropout || types.kind == Operator::DropoutGradient) {
    const auto& dropout = std::get<DropoutAttributes>(types.attributes);
    DropoutPartAttributes piece{.probability = dropout.probability,
                                .number = dropout.number,
                                .begin = {},
                                .whole = types.outputs[0].shape};
    for (const Range& range : part_region(piece.whole, axes, ranges, false, 0))
      piece.begin.push_back(range.begin);
    part.kind = Operator::DropoutPart;
    part.attributes = std::move(piece);
  }
  if (types.kind == Operator::SliceGradient || types.kind == Operator::Pad ||
      types.kind == Operator::PadGradient)
    be_margins(types, axes, ranges, part);
  if (types.kind == Operator::Concat) be_concatenated(types, axes, ranges, part);
  if (types.kind == Operator::Gather || types.kind == Operator::GatherGradient) {
    const bool is_gradient = types.kind == Operator::GatherGradient;
    const Shape& table = is_gradient ? types.outputs[0].shape : types.inputs[0].shape;
    const std::int64_t picked = std::get<AxisAttributes>(types.attributes).axis;
    const Range block =
        part_region(table, axes, ranges, !is_gradient, 0)[static_cast<std::size_t>(picked)];
    part.kind = is_gradient ? Operator::GatherGradientBlock : Operator::GatherBlock;
    part.attributes = GatherPartAttributes{.axis = picked,
                                           .begin = block.begin,
                                           .count = block.extent(),
                                           .extent = table[static_cast<std::size_t>(picked)]};
  }
}

// A lookup whose table and indices are whole is still the same lookup.
bool stays_as_it_is(const OperationTypes& types, const Axes& axes,
                    const std::vector<Range>& ranges) {
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (ranges[k] == Range{0, axes[k].extent}) continue;
    if (types.kind != Operator::Gather && types.kind != Operator::GatherGradient) return false;
    // Other columns are another table.
    const bool of_gradient = types.kind == Operator::GatherGradient;
    const auto picked = static_cast<int>(std::get<AxisAttributes>(types.attributes).axis);
    const std::optional<Follows>& table = of_gradient ? axes[k].outputs[0] : axes[k].inputs[0];
    if (axes[k].kind == AxisKind::Continued || (table && table->dimension == picked)) return false;
  }
  return true;
}

}  // namespace

PartOperation part_operation(const OperationTypes& types, const std::vector<PartAxis>& axes,
                             const std::vector<Range>& ranges, bool first, bool last) {
  PartOperation part{.kind = types.kind, .attributes = part_attributes(types, axes, ranges)};
  for (std::size_t i = 0; i < types.inputs.size(); ++i) part.inputs.push_back(static_cast<int>(i));
  if (!stays_as_it_is(types, axes, ranges)) be_a_part(types, axes, ranges, part);
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
  const std::optional<Operator> continued = continued_operator(part.kind);
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
