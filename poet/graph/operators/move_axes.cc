#include <algorithm>
#include <numeric>

#include "poet/graph/operators/axes.h"

// What only moves values: places of the output, and where they come from.

namespace poet {

// Where a run of dimensions of x holds the same values as a run of y, a cut of the first of the one
// is a cut of the first of the other.
Axes reshape_axes(const OperationTypes& types) {
  const Shape& x = types.inputs[0].shape;
  const Shape& y = types.outputs[0].shape;
  Axes axes;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < x.size() && j < y.size()) {
    while (i < x.size() && x[i] == 1) ++i;
    while (j < y.size() && y[j] == 1) ++j;
    if (i >= x.size() || j >= y.size()) break;
    const std::int64_t places = std::gcd(x[i], y[j]);
    PartAxis axis = axis_of(types, places);
    axis.inputs[0] = Follows{.dimension = static_cast<int>(i), .scale = x[i] / places};
    axis.outputs[0] = Follows{.dimension = static_cast<int>(j), .scale = y[j] / places};
    axes.push_back(std::move(axis));
    std::int64_t in = x[i++];
    std::int64_t out = y[j++];
    while (in != out) {
      if (in < out)
        in *= x[i++];
      else
        out *= y[j++];
    }
  }
  return axes;
}

Axes transpose_axes(const OperationTypes& types) {
  const auto& permutation = std::get<TransposeAttributes>(types.attributes).permutation;
  Axes axes;
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    PartAxis axis = axis_of(types, types.outputs[0].shape[d]);
    axis.inputs[0] = dimension(static_cast<std::size_t>(permutation[d]));
    axis.outputs[0] = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

namespace {

// Dimensions of one input and one output that are as they were.
Axes untouched_axes(const OperationTypes& types, const std::vector<bool>& untouched) {
  Axes axes;
  for (std::size_t d = 0; d < untouched.size(); ++d) {
    if (!untouched[d]) continue;
    PartAxis axis = axis_of(types, types.outputs[0].shape[d]);
    for (std::optional<Follows>& input : axis.inputs) input = dimension(d);
    axis.outputs[0] = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

// Place p of the output along dimension d is value p - begin of the input, where there is one.
PartAxis shifted_axis(const OperationTypes& types, std::size_t d, std::int64_t begin) {
  PartAxis axis = axis_of(types, types.outputs[0].shape[d]);
  axis.outputs[0] = dimension(d);
  axis.inputs[0] = dimension(d);
  if (begin != 0 || types.inputs[0].shape[d] != types.outputs[0].shape[d])
    axis.inputs[0]->halo = Halo{.padding = begin};
  return axis;
}

// Whether a slice leaves values out between those that it takes.
bool has_gaps(const SliceAttributes& slice) {
  return std::any_of(slice.step.begin(), slice.step.end(),
                     [](std::int64_t step) { return step != 1; });
}

}  // namespace

// Slices and their gradients; with gaps only the dimensions that are whole.
Axes slice_axes(const OperationTypes& types) {
  const auto& slice = std::get<SliceAttributes>(types.attributes);
  const bool is_gradient = types.kind == Operator::SliceGradient;
  Axes axes;
  for (std::size_t d = 0; d < slice.start.size(); ++d) {
    const std::int64_t whole = (is_gradient ? types.outputs : types.inputs)[0].shape[d];
    const bool is_whole = slice.step[d] == 1 && slice.extent[d] == whole;
    if (!has_gaps(slice) || is_whole)
      axes.push_back(shifted_axis(types, d, is_gradient ? slice.start[d] : -slice.start[d]));
  }
  return axes;
}

// Margins of a constant, and their gradients; of others the dimensions without any.
Axes pad_axes(const OperationTypes& types) {
  const auto& pad = std::get<PadAttributes>(types.attributes);
  const std::int64_t sign = types.kind == Operator::Pad ? 1 : -1;
  Axes axes;
  for (std::size_t d = 0; d < pad.begin.size(); ++d)
    if (pad.mode == PadMode::Constant || (pad.begin[d] == 0 && pad.end[d] == 0))
      axes.push_back(shifted_axis(types, d, sign * pad.begin[d]));
  return axes;
}

// Along the dimension that is put together an input has its own part of the places.
Axes concat_axes(const OperationTypes& types) {
  const auto joined = static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis);
  Axes axes = untouched_axes(types, std::vector<bool>(types.outputs[0].shape.size(), true));
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < types.inputs.size(); ++i) {
    axes[joined].inputs[i]->halo = Halo{.padding = begin};
    begin += types.inputs[i].shape[joined];
  }
  return axes;
}

// Of the table every dimension, block by block of what is picked from; of the indices all.
Axes gather_axes(const OperationTypes& types) {
  const bool is_gradient = types.kind == Operator::GatherGradient;
  const TensorType& table = is_gradient ? types.outputs[0] : types.inputs[0];
  const TensorType& indices = types.inputs[is_gradient ? 0 : 1];
  const auto picked = static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis);
  Axes axes;
  for (std::size_t d = 0; d < table.shape.size(); ++d) {
    if (d == picked) {
      PartAxis axis =
          axis_of(types, table.shape[d], is_gradient ? AxisKind::Independent : AxisKind::Continued);
      (is_gradient ? axis.outputs[0] : axis.inputs[0]) = dimension(d);
      axes.push_back(std::move(axis));
      continue;
    }
    PartAxis axis = axis_of(types, table.shape[d]);
    const Follows in_rows = dimension(d < picked ? d : d + indices.shape.size() - 1);
    axis.inputs[is_gradient ? 1 : 0] = is_gradient ? in_rows : dimension(d);
    axis.outputs[0] = is_gradient ? dimension(d) : in_rows;
    axes.push_back(std::move(axis));
  }
  for (std::size_t d = 0; d < indices.shape.size(); ++d) {
    PartAxis axis =
        axis_of(types, indices.shape[d], is_gradient ? AxisKind::Continued : AxisKind::Independent);
    axis.inputs[is_gradient ? 0 : 1] = dimension(d);
    (is_gradient ? axis.inputs[1] : axis.outputs[0]) = dimension(picked + d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

// The columns of a table: a row is changed once, by all indices that pick it.
Axes row_update_axes(const OperationTypes& types) {
  const std::size_t rank = types.inputs[0].shape.size();
  const std::size_t picked = types.inputs[1].shape.size();
  Axes axes;
  for (std::size_t d = 1; d < rank; ++d) {
    PartAxis axis = axis_of(types, types.inputs[0].shape[d]);
    axis.inputs[0] = dimension(d);
    axis.inputs[2] = dimension(picked + d - 1);
    axis.outputs[0] = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

// --- What their parts are

PartOperation shaped_part(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges) {
  return on_all_inputs(
      types,
      ShapeAttributes{extents_of(part_region(types.outputs[0].shape, axes, ranges, false, 0))});
}

namespace {

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

}  // namespace

PartOperation slice_part(const OperationTypes& types, const Axes& axes,
                         const std::vector<Range>& ranges) {
  SliceAttributes slice = std::get<SliceAttributes>(types.attributes);
  const std::vector<Range> in = part_region(types.inputs[0].shape, axes, ranges, true, 0);
  const std::vector<Range> out = part_region(types.outputs[0].shape, axes, ranges, false, 0);
  for (std::size_t d = 0; d < slice.start.size(); ++d)
    if (slice.step[d] == 1) slice.start[d] += out[d].begin - in[d].begin;
  slice.extent = extents_of(out);
  return on_all_inputs(types, std::move(slice));
}

// Where the gradient of a slice is cut, it is margins of zeros; with gaps it stays what it is.
PartOperation slice_gradient_part(const OperationTypes& types, const Axes& axes,
                                  const std::vector<Range>& ranges) {
  PartOperation part = on_all_inputs(types, types.attributes);
  if (!is_cut_anywhere(axes, ranges)) return part;
  SliceAttributes slice = std::get<SliceAttributes>(types.attributes);
  if (has_gaps(slice)) {
    slice.extent = extents_of(part_region(types.inputs[0].shape, axes, ranges, true, 0));
    part.attributes = std::move(slice);
    return part;
  }
  part.kind = Operator::Pad;
  part.attributes = margins_of_part(types, axes, ranges, slice.start);
  return part;
}

PartOperation pad_part(const OperationTypes& types, const Axes& axes,
                       const std::vector<Range>& ranges) {
  const auto& pad = std::get<PadAttributes>(types.attributes);
  if (!is_cut_anywhere(axes, ranges)) return on_all_inputs(types, pad);
  if (types.kind == Operator::PadGradient) {
    const PadAttributes margins = margins_of_part(types, axes, ranges, negated(pad.begin));
    return on_all_inputs(
        types, PadAttributes{
                   .begin = negated(margins.begin), .end = negated(margins.end), .mode = pad.mode});
  }
  PadAttributes margins = margins_of_part(types, axes, ranges, pad.begin);
  margins.mode = pad.mode;
  margins.value = pad.value;
  return on_all_inputs(types, std::move(margins));
}

// Of the inputs only those that the part has values of.
PartOperation concat_part(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges) {
  PartOperation part = on_all_inputs(types, types.attributes);
  if (!is_cut_anywhere(axes, ranges)) return part;
  const auto joined = static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis);
  const Range out = part_region(types.outputs[0].shape, axes, ranges, false, 0)[joined];
  std::int64_t begin = 0;
  part.inputs.clear();
  for (std::size_t i = 0; i < types.inputs.size(); ++i) {
    const std::int64_t end = begin + types.inputs[i].shape[joined];
    if (begin < out.end && end > out.begin) part.inputs.push_back(static_cast<int>(i));
    begin = end;
  }
  return part;
}

namespace {

// A lookup whose table and indices are whole is still the same lookup. Other columns are another
// table.
bool picks_from_the_whole(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges) {
  const bool of_gradient = types.kind == Operator::GatherGradient;
  const auto picked = static_cast<int>(std::get<AxisAttributes>(types.attributes).axis);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (ranges[k] == Range{0, axes[k].extent}) continue;
    const std::optional<Follows>& table = of_gradient ? axes[k].outputs[0] : axes[k].inputs[0];
    if (axes[k].kind == AxisKind::Continued || (table && table->dimension == picked)) return false;
  }
  return true;
}

}  // namespace

PartOperation gather_part(const OperationTypes& types, const Axes& axes,
                          const std::vector<Range>& ranges) {
  PartOperation part = on_all_inputs(types, types.attributes);
  if (picks_from_the_whole(types, axes, ranges)) return part;
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
  return part;
}

}  // namespace poet
