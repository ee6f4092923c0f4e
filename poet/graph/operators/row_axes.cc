#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"

// Norms and softmax, whole and in parts: channels of pictures, rows of values, and the values of a
// row where a sum of them goes on.

namespace poet {

// Along the channels of pictures (N, C, ...); what has one dimension has a value for each channel.
Axes channel_axes(const OperationTypes& types) {
  PartAxis axis = axis_of(types, types.inputs[0].shape[1]);
  const auto channels = [](const TensorType& type) {
    return dimension(type.shape.size() == 1 ? 0 : 1);
  };
  for (std::size_t i = 0; i < types.inputs.size(); ++i) axis.inputs[i] = channels(types.inputs[i]);
  for (std::size_t o = 0; o < types.outputs.size(); ++o)
    axis.outputs[o] = channels(types.outputs[o]);
  return {axis};
}

// By running statistics every value is normalised by itself.
Axes inference_norm_axes(const OperationTypes& types) {
  Axes axes = channel_axes(types);
  const Shape& y = types.outputs[0].shape;
  for (std::size_t d = 0; d < y.size(); ++d) {
    if (d == 1) continue;
    PartAxis axis = axis_of(types, y[d]);
    axis.inputs[0] = axis.outputs[0] = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

Axes layer_norm_axes(const OperationTypes& types) {
  const auto axis = static_cast<std::size_t>(std::get<NormAttributes>(types.attributes).axis);
  Axes axes;
  for (std::size_t d = 0; d < axis; ++d) {
    PartAxis rows = axis_of(types, types.outputs[0].shape[d]);
    rows.inputs[0] = dimension(d);
    for (std::optional<Follows>& output : rows.outputs) output = dimension(d);
    axes.push_back(std::move(rows));
  }
  return axes;
}

// Without scale and bias, whose gradients are sums over rows.
Axes layer_norm_gradient_axes(const OperationTypes& types) {
  if (types.outputs.size() > 1) return {};
  const auto axis = static_cast<std::size_t>(std::get<NormAttributes>(types.attributes).axis);
  Axes axes;
  for (std::size_t d = 0; d < axis; ++d) {
    PartAxis rows = axis_of(types, types.outputs[0].shape[d]);
    for (std::size_t i = 0; i < 4; ++i) rows.inputs[i] = dimension(d);
    rows.outputs[0] = dimension(d);
    axes.push_back(std::move(rows));
  }
  return axes;
}

namespace {

// What each input or output of an operation on rows of values is like.
enum class RowRole {
  Piece,     // rows and their values: x, dy
  Rows,      // something for each row: a mean, a state
  Features,  // something for each value of a row: a scale
};

struct RowRoles {
  std::vector<RowRole> inputs = {};
  std::vector<RowRole> outputs = {};
  bool sums_rows = false;      // what it makes is a sum over the rows
  bool sums_features = false;  // or over the values of each
};

RowRoles row_roles(Operator kind) {
  constexpr RowRole P = RowRole::Piece;
  constexpr RowRole R = RowRole::Rows;
  constexpr RowRole F = RowRole::Features;
  switch (kind) {
    case Operator::RowSumPart:
      return {.inputs = {P}, .outputs = {R}, .sums_features = true};
    case Operator::RowSpreadPart:
      return {.inputs = {P, R}, .outputs = {R}, .sums_features = true};
    case Operator::RowGradientSumsPart:
      return {.inputs = {P, R, P}, .outputs = {R}, .sums_features = true};
    case Operator::LayerNormGradientSumsPart:
      return {.inputs = {P, R, P, F}, .outputs = {R}, .sums_features = true};
    case Operator::LayerNormApply:
      return {.inputs = {P, R, R, F, F}, .outputs = {P}};
    case Operator::LayerNormGradientApply:
      return {.inputs = {P, R, R, P, R, R, F}, .outputs = {P}};
    case Operator::LayerNormScaleGradient:
      return {.inputs = {P, R, R, P}, .outputs = {F, F}, .sums_rows = true};
    case Operator::BatchNormApply:
      return {.inputs = {P, R, R, R, R}, .outputs = {P}};
    case Operator::BatchNormGradientApply:
      return {.inputs = {P, R, R, P, R, R, R}, .outputs = {P}};
    default:
      check_failed("an operation on rows", __FILE__, __LINE__);
  }
}

std::vector<std::optional<Follows>> following(const std::vector<TensorType>& types,
                                              const std::vector<RowRole>& roles, RowRole one,
                                              std::size_t in_piece, std::size_t in_one) {
  std::vector<std::optional<Follows>> all;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (roles[i] == RowRole::Piece)
      all.emplace_back(dimension(in_piece));
    else if (roles[i] == one)
      all.emplace_back(dimension(in_one));
    else
      all.emplace_back(std::nullopt);
  }
  return all;
}

}  // namespace

// Rows of a layer norm are independent of each other, and so are channels; along the values of a
// row go sums, or every value by itself.
Axes row_part_axes(const OperationTypes& types) {
  const auto& part = std::get<RowPartAttributes>(types.attributes);
  const RowRoles roles = row_roles(types.kind);
  const Shape& x = types.inputs[0].shape;
  Axes axes;
  const auto add = [&](RowRole one, std::size_t in_piece, std::size_t in_one, bool summed) {
    PartAxis axis{.kind = summed ? AxisKind::Continued : AxisKind::Independent,
                  .extent = x[in_piece]};
    axis.inputs = following(types.inputs, roles.inputs, one, in_piece, in_one);
    axis.outputs = following(types.outputs, roles.outputs, one, in_piece, in_one);
    axes.push_back(std::move(axis));
  };
  if (part.by_channel) {
    add(RowRole::Rows, 1, 0, false);
    add(RowRole::Piece, 0, 0, roles.sums_features);
    for (std::size_t d = 2; d < x.size(); ++d) {
      add(RowRole::Piece, d, 0, roles.sums_features);
      if (roles.sums_features && x[d] > 1) break;  // values of a row come in their order
    }
    return axes;
  }
  const auto axis = static_cast<std::size_t>(part.axis);
  for (std::size_t d = 0; d < axis; ++d) add(RowRole::Rows, d, d, roles.sums_rows);
  // A sum of all values, of no rows, goes along all dimensions.
  for (std::size_t d = axis; d < x.size(); ++d) {
    add(RowRole::Features, d, d - axis, roles.sums_features);
    if (roles.sums_features && x[d] > 1 && axis > 0) break;
  }
  return axes;
}

// Of states, row by row.
Axes row_result_axes(const OperationTypes& types) {
  Axes axes;
  for (std::size_t d = 0; d < types.outputs[0].shape.size(); ++d) {
    PartAxis axis = axis_of(types, types.outputs[0].shape[d]);
    for (std::optional<Follows>& input : axis.inputs) input = dimension(d);
    for (std::optional<Follows>& output : axis.outputs) output = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

PartOperation row_part(const OperationTypes& types, const Axes& axes,
                       const std::vector<Range>& ranges) {
  RowPartAttributes part = std::get<RowPartAttributes>(types.attributes);
  const int first = part.by_channel ? 2 : static_cast<int>(part.axis);
  const Shape& x = types.inputs[0].shape;
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (axes[k].kind == AxisKind::Continued && axes[k].inputs[0] &&
        axes[k].inputs[0]->dimension >= first)
      part.begin +=
          ranges[k].begin * value_count({x.begin() + axes[k].inputs[0]->dimension + 1, x.end()});
  return on_all_inputs(types, part);
}

namespace {

// Places are groups; a tensor has a value for each of them in a dimension, or one for each channel.
PartAxis groups_axis(const OperationTypes& types) {
  const Shape& x = types.inputs[0].shape;
  const std::int64_t groups = std::get<NormAttributes>(types.attributes).groups;
  const auto follows = [&](const Shape& shape) {
    const int d = shape.size() > 1 ? 1 : 0;
    return Follows{.dimension = d, .scale = shape[static_cast<std::size_t>(d)] / groups};
  };
  PartAxis axis = axis_of(types, groups);
  POET_CHECK(x[1] % groups == 0);
  for (std::size_t i = 0; i < types.inputs.size(); ++i)
    axis.inputs[i] = follows(types.inputs[i].shape);
  for (std::size_t i = 0; i < types.outputs.size(); ++i)
    axis.outputs[i] = follows(types.outputs[i].shape);
  return axis;
}

// Places are samples, in the first of their dimensions; what has one value for each channel has
// none.
PartAxis samples_axis(const OperationTypes& types) {
  PartAxis axis = axis_of(types, types.inputs[0].shape[0]);
  for (std::size_t i = 0; i < types.inputs.size(); ++i)
    if (types.inputs[i].shape.size() > 1) axis.inputs[i] = dimension(0);
  for (std::optional<Follows>& output : axis.outputs) output = dimension(0);
  return axis;
}

}  // namespace

// Every group of every sample has statistics of its own.
Axes group_norm_axes(const OperationTypes& types) {
  return {samples_axis(types), groups_axis(types)};
}

// Gradients by scale and bias are sums over the samples.
Axes group_norm_gradient_axes(const OperationTypes& types) {
  if (types.outputs.size() > 1) return {groups_axis(types)};
  return {samples_axis(types), groups_axis(types)};
}

PartOperation group_norm_part(const OperationTypes& types, const Axes&,
                              const std::vector<Range>& ranges) {
  NormAttributes norm = std::get<NormAttributes>(types.attributes);
  norm.groups = ranges.back().extent();  // the axis of groups is the last
  return on_all_inputs(types, norm);
}

// All dimensions but one, along which values depend on each other.
Axes axes_beside(const OperationTypes& types, std::int64_t together) {
  Axes axes;
  for (std::size_t d = 0; d < types.outputs[0].shape.size(); ++d) {
    if (static_cast<std::int64_t>(d) == together) continue;
    PartAxis axis = axis_of(types, types.outputs[0].shape[d]);
    for (std::optional<Follows>& input : axis.inputs) input = dimension(d);
    for (std::optional<Follows>& output : axis.outputs) output = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

Axes softmax_axes(const OperationTypes& types) {
  return axes_beside(types, std::get<AxisAttributes>(types.attributes).axis);
}

}  // namespace poet
