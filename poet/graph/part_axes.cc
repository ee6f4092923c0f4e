#include "poet/graph/part_axes.h"

#include <algorithm>

#include "poet/graph/operators/axes.h"

namespace poet {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return -floor_div(-a, b);
}

bool is_cut_anywhere(const Axes& axes, const std::vector<Range>& ranges) {
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (ranges[k] != Range{0, axes[k].extent}) return true;
  return false;
}

Axes all_axes(const OperationTypes& types) {
  const Operator kind = types.kind;
  if (kind <= Operator::SiluGradient) return pointwise_axes(types);
  if (kind <= Operator::Min) return broadcast_axes(types);
  if (kind <= Operator::MinGradient)
    return kind == Operator::BroadcastSum ? broadcast_sum_axes(types)
                                          : operand_gradient_axes(types);
  if (kind <= Operator::Where) return broadcast_axes(types);
  if (kind <= Operator::WhereFalseGradient) return operand_gradient_axes(types);
  if (kind >= Operator::ReduceSum && kind <= Operator::ReduceLogSumExpGradient)
    return (static_cast<int>(kind) - static_cast<int>(Operator::ReduceSum)) % 2 == 0
               ? reduce_axes(types)
               : reduce_gradient_axes(types);
  if (kind >= Operator::Sgd && kind <= Operator::Adam) return pointwise_axes(types);
  switch (kind) {
    case Operator::MatMul:
      return product_axes(types);
    case Operator::Conv:
    case Operator::ConvInputGradient:
    case Operator::ConvWeightGradient:
    case Operator::ConvTranspose:
    case Operator::ConvTransposeInputGradient:
    case Operator::ConvTransposeWeightGradient:
      return conv_axes(types);
    case Operator::MaxPool:
    case Operator::AveragePool:
      return pool_axes(types);
    case Operator::MaxPoolGradient:
    case Operator::AveragePoolGradient:
      return pool_gradient_axes(types);
    case Operator::BatchNorm:
    case Operator::BatchNormGradient:
    case Operator::BatchNormInferenceGradient:
      return channel_axes(types);
    case Operator::BatchNormInference:
      return inference_norm_axes(types);
    case Operator::RunningStatistics:
    case Operator::Accumulate:
    case Operator::Dropout:
    case Operator::DropoutGradient:
      return pointwise_axes(types);
    case Operator::LayerNorm:
      return layer_norm_axes(types);
    case Operator::LayerNormGradient:
      return layer_norm_gradient_axes(types);
    case Operator::RowSumPart:
    case Operator::RowSpreadPart:
    case Operator::RowGradientSumsPart:
    case Operator::LayerNormGradientSumsPart:
    case Operator::LayerNormApply:
    case Operator::LayerNormGradientApply:
    case Operator::LayerNormScaleGradient:
    case Operator::BatchNormApply:
    case Operator::BatchNormGradientApply:
      return row_part_axes(types);
    case Operator::RowTotal:
    case Operator::RowMean:
    case Operator::RowInverseStd:
    case Operator::LayerNormGradientFactors:
    case Operator::BatchNormGradientFactors:
      return row_result_axes(types);
    case Operator::GroupNorm:
      return group_norm_axes(types);
    case Operator::Softmax:
    case Operator::SoftmaxGradient:
    case Operator::LogSoftmax:
    case Operator::LogSoftmaxGradient:
      return softmax_axes(types);
    case Operator::Reshape:
      return reshape_axes(types);
    case Operator::Transpose:
      return transpose_axes(types);
    case Operator::Slice:
    case Operator::SliceGradient:
      return slice_axes(types);
    case Operator::Concat:
      return concat_axes(types);
    case Operator::Pad:
    case Operator::PadGradient:
      return pad_axes(types);
    case Operator::Expand:
    case Operator::Cast:
      return broadcast_axes(types);
    case Operator::Gather:
    case Operator::GatherGradient:
      return gather_axes(types);
    case Operator::RowUpdate:
      return row_update_axes(types);
    case Operator::ConvBiasGradient:
      return conv_bias_axes(types);
    case Operator::SoftmaxCrossEntropy:
    case Operator::SoftmaxCrossEntropyGradient:
    case Operator::NegativeLogLikelihood:
    case Operator::NegativeLogLikelihoodGradient:
    case Operator::LabelCount:
    case Operator::LabelScorePart:
    case Operator::ClassScoreSumPart:
    case Operator::SoftmaxCrossEntropyEnd:
    case Operator::SoftmaxCrossEntropyGradientBlock:
    case Operator::SoftmaxLargestPart:
    case Operator::SoftmaxSumPart:
    case Operator::SoftmaxApply:
    case Operator::LogSoftmaxApply:
    case Operator::SoftmaxGradientSumPart:
    case Operator::LogSoftmaxGradientSumPart:
    case Operator::SoftmaxGradientApply:
    case Operator::LogSoftmaxGradientApply:
      return class_axes(types);
    case Operator::MeanSquaredError:
    case Operator::MeanSquaredErrorGradient:
    case Operator::BinaryCrossEntropy:
    case Operator::BinaryCrossEntropyGradient:
      return value_loss_axes(types);
    default:
      return {};
  }
}

// An operation that goes on with the sum of another is not cut again.
bool is_a_later_part(const OperationTypes& types) {
  if (const auto* const rows = std::get_if<RowPartAttributes>(&types.attributes))
    return rows->continues;
  const auto* const classes = std::get_if<ClassPartAttributes>(&types.attributes);
  return classes != nullptr && classes->continues;
}

}  // namespace

// The values of a dimension of a tensor that a part meets.
std::vector<Range> part_region(const Shape& shape, const Axes& axes,
                               const std::vector<Range>& ranges, bool of_input,
                               std::size_t position) {
  std::vector<Range> values;
  for (const std::int64_t extent : shape) values.push_back({0, extent});
  const bool is_cut = is_cut_anywhere(axes, ranges);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::optional<Follows>& follows =
        of_input ? axes[k].inputs[position] : axes[k].outputs[position];
    if (!follows) continue;
    const bool is_shifted = is_cut && follows->halo && follows->halo->reach == 1 &&
                            follows->halo->stride == 1 && !follows->halo->turned;
    if (ranges[k] == Range{0, axes[k].extent} && !is_shifted) continue;
    const auto d = static_cast<std::size_t>(follows->dimension);
    values[d] = values_met(*follows, ranges[k], shape[d]);
  }
  return values;
}

PartAxis axis_of(const OperationTypes& types, std::int64_t extent, AxisKind kind) {
  PartAxis axis{.kind = kind, .extent = extent};
  axis.inputs.resize(types.inputs.size());
  axis.outputs.resize(types.outputs.size());
  return axis;
}

Follows dimension(std::size_t d) {
  return {.dimension = static_cast<int>(d)};
}

Range values_met(const Follows& follows, const Range& places, std::int64_t extent) {
  if (!follows.halo) return {places.begin * follows.scale, places.end * follows.scale};
  const Halo& halo = *follows.halo;
  Range met;
  if (halo.turned) {
    met.begin = ceil_div(places.begin + halo.padding - halo.reach + 1, halo.stride);
    met.end = floor_div(places.end - 1 + halo.padding, halo.stride) + 1;
  } else {
    met.begin = places.begin * halo.stride - halo.padding;
    // Up to where the next place begins, so that parts leave no gap where a window is narrower than
    // its stride.
    met.end = (places.end - 1) * halo.stride - halo.padding + std::max(halo.reach, halo.stride);
  }
  met.begin = std::clamp<std::int64_t>(met.begin, 0, extent - 1);
  met.end = std::clamp<std::int64_t>(met.end, met.begin + 1, extent);
  return met;
}

std::vector<Range> part_of_input(const OperationTypes& types, const std::vector<PartAxis>& axes,
                                 const std::vector<Range>& ranges, std::size_t position) {
  return part_region(types.inputs[position].shape, axes, ranges, true, position);
}

std::vector<Range> part_of_output(const OperationTypes& types, const std::vector<PartAxis>& axes,
                                  const std::vector<Range>& ranges, std::size_t position) {
  return part_region(types.outputs[position].shape, axes, ranges, false, position);
}

std::vector<PartAxis> part_axes(const OperationTypes& types) {
  if (is_a_later_part(types)) return {};
  Axes axes = all_axes(types);
  axes.erase(std::remove_if(axes.begin(), axes.end(),
                            [](const PartAxis& axis) { return axis.extent <= 1; }),
             axes.end());
  return axes;
}

}  // namespace poet
