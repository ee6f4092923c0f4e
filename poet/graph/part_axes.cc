#include "poet/graph/part_axes.h"

#include <algorithm>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"

namespace poet {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return -floor_div(-a, b);
}

// An operation that goes on with the sum of another is not cut again.
bool is_a_later_part(const OperationTypes& types) {
  if (const auto* const rows = std::get_if<RowPartAttributes>(&types.attributes))
    return rows->continues;
  const auto* const classes = std::get_if<ClassPartAttributes>(&types.attributes);
  return classes != nullptr && classes->continues;
}

}  // namespace

bool is_cut_anywhere(const Axes& axes, const std::vector<Range>& ranges) {
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (ranges[k] != Range{0, axes[k].extent}) return true;
  return false;
}

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
  const InParts& parts = entry_of(types.kind).parts;
  if (parts.axes == nullptr || is_a_later_part(types)) return {};
  Axes axes = parts.axes(types);
  axes.erase(std::remove_if(axes.begin(), axes.end(),
                            [](const PartAxis& axis) { return axis.extent <= 1; }),
             axes.end());
  return axes;
}

// What an operation's part is where it goes on with the sum of another. What it is by itself, the
// operator's row says.

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
