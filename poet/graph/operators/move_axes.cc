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

}  // namespace

bool has_gaps(const SliceAttributes& slice) {
  return std::any_of(slice.step.begin(), slice.step.end(),
                     [](std::int64_t step) { return step != 1; });
}

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

}  // namespace poet
