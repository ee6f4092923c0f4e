#include "poet/graph/part_axes.h"

#include <algorithm>
#include <numeric>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/window.h"

namespace poet {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return -floor_div(-a, b);
}

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

// The gradient by an operand that was repeated: dy is summed to its shape. Along what is kept, and
// the outermost dimension that is summed.
Axes operand_gradient_axes(const OperationTypes& types, bool continued) {
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

// --- Matrices

const MatMulAttributes& product_of(const OperationTypes& types) {
  return std::get<MatMulAttributes>(types.attributes);
}

// The summed dimensions before the last two, then the inner one; rows and columns first.
Axes product_axes(const OperationTypes& types) {
  const MatMulAttributes& attributes = product_of(types);
  const Shape& a = types.inputs[0].shape;
  const Shape& b = types.inputs[1].shape;
  const Shape& y = types.outputs[0].shape;
  const std::size_t rank = std::max(a.size(), b.size());
  const Shape matrix(y.end() - 2, y.end());
  Axes axes;
  const auto add_output = [&](std::size_t which, std::size_t input, std::size_t own) {
    PartAxis axis = axis_of(types, matrix[which]);
    axis.inputs[input] = dimension(own);
    axis.outputs[0] = dimension(y.size() - 2 + which);
    if (types.inputs.size() == 3)
      axis.inputs[2] = broadcast_dimension(types.inputs[2].shape, which, 2);
    axes.push_back(std::move(axis));
  };
  add_output(0, 0, a.size() - (attributes.transpose_a ? 1 : 2));
  add_output(1, 1, b.size() - (attributes.transpose_b ? 2 : 1));
  // Matrices, each of its own or summed.
  const auto extent_of = [&](const Shape& shape, std::size_t d) {
    return shape.size() + d < rank ? 1 : shape[shape.size() + d - rank];
  };
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    const std::int64_t extent = std::max(extent_of(a, d), extent_of(b, d));
    if (extent == 1) continue;
    const std::optional<Follows> kept = broadcast_dimension(y, d, rank);
    PartAxis axis = axis_of(types, extent, kept ? AxisKind::Independent : AxisKind::Continued);
    axis.inputs[0] = broadcast_dimension(a, d, rank);
    axis.inputs[1] = broadcast_dimension(b, d, rank);
    axis.outputs[0] = kept;
    axes.push_back(std::move(axis));
  }
  const std::size_t a_inner = a.size() - (attributes.transpose_a ? 2 : 1);
  PartAxis inner = axis_of(types, a[a_inner], AxisKind::Continued);
  inner.inputs[0] = dimension(a_inner);
  inner.inputs[1] = dimension(b.size() - (attributes.transpose_b ? 1 : 2));
  axes.push_back(std::move(inner));
  return axes;
}

// --- Convolutions and pools

const WindowAttributes& window_of(const OperationTypes& types) {
  return std::get<WindowAttributes>(types.attributes);
}

Halo halo_of(const WindowAttributes& window, std::size_t d, bool turned) {
  return {.stride = window.stride[d],
          .padding = window.padding_begin[d],
          .reach = reach(window, d),
          .turned = turned};
}

// Which operand of a convolution is what: inputs count from 0, the output is -1.
struct ConvOperands {
  int picture = 0;  // the side of the convolution that goes in
  int weights = 1;
  int places = 0;  // the side that comes out
};
constexpr int kOutput = -1;

ConvOperands operands_of(Operator kind) {
  switch (kind) {
    case Operator::Conv:
    case Operator::ConvTransposeInputGradient:
      return {.picture = 0, .weights = 1, .places = kOutput};
    case Operator::ConvInputGradient:
    case Operator::ConvTranspose:
      return {.picture = kOutput, .weights = 1, .places = 0};
    case Operator::ConvWeightGradient:
      return {.picture = 0, .weights = kOutput, .places = 1};
    case Operator::ConvTransposeWeightGradient:
      return {.picture = 1, .weights = kOutput, .places = 0};
    default:
      check_failed("a convolution", __FILE__, __LINE__);
  }
}

const TensorType& operand(const OperationTypes& types, int which) {
  return which == kOutput ? types.outputs[0] : types.inputs[static_cast<std::size_t>(which)];
}

std::optional<Follows>& follower(PartAxis& axis, int which) {
  return which == kOutput ? axis.outputs[0] : axis.inputs[static_cast<std::size_t>(which)];
}

void mark_kind(PartAxis& axis) {
  axis.kind = axis.outputs[0] ? AxisKind::Independent : AxisKind::Continued;
}

// A bias has a value for each channel of the output.
void add_bias(const OperationTypes& types, PartAxis& axis) {
  if (types.inputs.size() == 3 && axis.outputs[0]) axis.inputs[2] = {dimension(0)};
}

// Samples, one after the other, and channels.
Axes conv_bias_axes(const OperationTypes& types) {
  PartAxis samples = axis_of(types, types.inputs[0].shape[0], AxisKind::Continued);
  samples.inputs[0] = dimension(0);
  PartAxis channels = axis_of(types, types.inputs[0].shape[1]);
  channels.inputs[0] = dimension(1);
  channels.outputs[0] = dimension(0);
  return {std::move(channels), std::move(samples)};
}

// Groups where there are several, each of which has channels of its own; otherwise the channels of
// both sides.
void add_channels(const OperationTypes& types, const ConvOperands& which, Axes& axes) {
  const std::int64_t groups = window_of(types).groups;
  const std::int64_t inside = operand(types, which.picture).shape[1];
  const std::int64_t outside = operand(types, which.places).shape[1];
  if (groups > 1) {
    PartAxis axis = axis_of(types, groups);
    follower(axis, which.picture) = Follows{.dimension = 1, .scale = inside / groups};
    follower(axis, which.places) = Follows{.dimension = 1, .scale = outside / groups};
    follower(axis, which.weights) = Follows{.dimension = 0, .scale = outside / groups};
    if (types.inputs.size() == 3 && axis.outputs[0])
      axis.inputs[2] = Follows{.dimension = 0, .scale = axis.outputs[0]->scale};
    axes.push_back(std::move(axis));
    return;
  }
  PartAxis out = axis_of(types, outside);
  follower(out, which.places) = dimension(1);
  follower(out, which.weights) = dimension(0);
  mark_kind(out);
  add_bias(types, out);
  axes.push_back(std::move(out));
  PartAxis in = axis_of(types, inside);
  follower(in, which.picture) = dimension(1);
  follower(in, which.weights) = dimension(1);
  mark_kind(in);
  add_bias(types, in);
  axes.push_back(std::move(in));
}

// The outermost dimension of a picture's two or three, which is where a sum over places goes on: it
// runs row by row.
void add_places(const OperationTypes& types, const ConvOperands& which, Axes& axes) {
  const WindowAttributes& window = window_of(types);
  if (window.kernel.size() < 2) return;
  const bool to_picture = which.picture == kOutput;
  // Rows that no window meets are left alone.
  const bool is_padded = std::any_of(window.output_padding.begin(), window.output_padding.end(),
                                     [](std::int64_t places) { return places > 0; });
  if (types.kind == Operator::ConvTranspose && (is_padded || reach(window, 0) < window.stride[0]))
    return;
  PartAxis axis =
      axis_of(types, operand(types, to_picture ? which.picture : which.places).shape[2]);
  follower(axis, which.places) = dimension(2);
  follower(axis, which.picture) = dimension(2);
  follower(axis, to_picture ? which.places : which.picture)->halo = halo_of(window, 0, to_picture);
  mark_kind(axis);
  axes.push_back(std::move(axis));
}

Axes conv_axes(const OperationTypes& types) {
  const ConvOperands which = operands_of(types.kind);
  Axes axes;
  PartAxis samples = axis_of(types, operand(types, which.picture).shape[0]);
  follower(samples, which.picture) = dimension(0);
  follower(samples, which.places) = dimension(0);
  mark_kind(samples);
  axes.push_back(std::move(samples));
  add_channels(types, which, axes);
  add_places(types, which, axes);
  return axes;
}

Axes leading_axes(const OperationTypes& types, std::size_t from, std::size_t to) {
  Axes axes;
  for (std::size_t d = from; d < to; ++d) {
    PartAxis axis = axis_of(types, types.outputs[0].shape[d]);
    for (std::size_t i = 0; i < types.inputs.size(); ++i)
      if (types.inputs[i].shape.size() > d) axis.inputs[i] = dimension(d);
    for (std::size_t o = 0; o < types.outputs.size(); ++o)
      if (types.outputs[o].shape.size() > d) axis.outputs[o] = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

// Pictures and channels; places where what comes out reads nothing but its own window.
Axes pool_axes(const OperationTypes& types) {
  Axes axes = leading_axes(types, 0, 2);
  const WindowAttributes& window = window_of(types);
  if (window.counts_padding && window.round_up) return axes;
  for (std::size_t d = 0; d < window.kernel.size(); ++d) {
    PartAxis axis = axis_of(types, types.outputs[0].shape[d + 2]);
    axis.inputs[0] = dimension(d + 2);
    axis.inputs[0]->halo = halo_of(window, d, false);
    axis.outputs[0] = dimension(d + 2);
    axes.push_back(std::move(axis));
  }
  return axes;
}

// Pictures and channels; places of the output where windows lie side by side, so that each value of
// the picture belongs to one of them.
Axes pool_gradient_axes(const OperationTypes& types) {
  Axes axes = leading_axes(types, 0, 2);
  const WindowAttributes& window = window_of(types);
  const Shape& picture = types.outputs[0].shape;
  const Shape& places = types.inputs.back().shape;  // dy
  for (std::size_t d = 0; d < window.kernel.size(); ++d) {
    const std::int64_t stride = window.stride[d];
    if (reach(window, d) > stride || picture[d + 2] != places[d + 2] * stride ||
        window.padding_begin[d] != 0 || window.padding_end[d] != 0)
      continue;
    PartAxis axis = axis_of(types, places[d + 2]);
    for (std::optional<Follows>& input : axis.inputs)
      input = Follows{.dimension = static_cast<int>(d + 2), .scale = stride};
    axis.inputs.back()->scale = 1;
    axis.outputs[0] = Follows{.dimension = static_cast<int>(d + 2), .scale = stride};
    axes.push_back(std::move(axis));
  }
  return axes;
}

// --- Norms

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

// --- Norms in parts

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

// Where a part begins in its rows.
RowPartAttributes row_part(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges) {
  RowPartAttributes part = std::get<RowPartAttributes>(types.attributes);
  const int first = part.by_channel ? 2 : static_cast<int>(part.axis);
  const Shape& x = types.inputs[0].shape;
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (axes[k].kind == AxisKind::Continued && axes[k].inputs[0] &&
        axes[k].inputs[0]->dimension >= first)
      part.begin +=
          ranges[k].begin * value_count({x.begin() + axes[k].inputs[0]->dimension + 1, x.end()});
  return part;
}

// Every sample has statistics of its own.
Axes group_norm_axes(const OperationTypes& types) {
  PartAxis axis = axis_of(types, types.inputs[0].shape[0]);
  axis.inputs[0] = dimension(0);
  for (std::optional<Follows>& output : axis.outputs) output = dimension(0);
  return {axis};
}

// All dimensions but the one that is normalised.
Axes softmax_axes(const OperationTypes& types) {
  const auto normalised = std::get<AxisAttributes>(types.attributes).axis;
  Axes axes;
  for (std::size_t d = 0; d < types.outputs[0].shape.size(); ++d) {
    if (static_cast<std::int64_t>(d) == normalised) continue;
    PartAxis axis = axis_of(types, types.outputs[0].shape[d]);
    for (std::optional<Follows>& input : axis.inputs) input = dimension(d);
    axis.outputs[0] = dimension(d);
    axes.push_back(std::move(axis));
  }
  return axes;
}

// --- Sums over dimensions

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
Axes reduce_axes(const OperationTypes& types, bool is_gradient) {
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

// --- Moves

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

// --- The part of the attributes

bool is_cut_anywhere(const Axes& axes, const std::vector<Range>& ranges) {
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (ranges[k] != Range{0, axes[k].extent}) return true;
  return false;
}

// The values of a dimension of a tensor that a part meets.
std::vector<Range> region(const Shape& shape, const Axes& axes, const std::vector<Range>& ranges,
                          bool of_input, std::size_t position) {
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

Shape extents_of(const std::vector<Range>& ranges) {
  Shape shape;
  for (const Range& range : ranges) shape.push_back(range.extent());
  return shape;
}

// Whether a spatial dimension is cut.
bool is_cut(const Axes& axes, const std::vector<Range>& ranges, std::size_t dimension) {
  const auto follows = [&](const std::optional<Follows>& one) {
    return one && one->halo && static_cast<std::size_t>(one->dimension) == dimension;
  };
  for (std::size_t k = 0; k < axes.size(); ++k)
    if ((std::any_of(axes[k].inputs.begin(), axes[k].inputs.end(), follows) ||
         std::any_of(axes[k].outputs.begin(), axes[k].outputs.end(), follows)) &&
        ranges[k] != Range{0, axes[k].extent})
      return true;
  return false;
}

// The padding with which a part of the picture and a part of the places meet as the whole ones do.
WindowAttributes part_window(const OperationTypes& types, const Axes& axes,
                             const std::vector<Range>& ranges, const std::vector<Range>& picture,
                             const std::vector<Range>& places) {
  WindowAttributes window = window_of(types);
  for (std::size_t d = 0; d < window.kernel.size(); ++d) {
    const Range& in = picture[d + 2];
    const Range& out = places[d + 2];
    if (!is_cut(axes, ranges, d + 2) && !window.round_up) continue;
    window.padding_begin[d] += in.begin - out.begin * window.stride[d];
    // What a window that is narrower than its stride leaves out at the end is not there.
    window.padding_end[d] =
        std::max<std::int64_t>(0, (out.extent() - 1) * window.stride[d] + reach(window, d) -
                                      in.extent() - window.padding_begin[d]);
  }
  window.round_up = false;  // said by the padding now
  return window;
}

WindowAttributes conv_part(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges) {
  const ConvOperands which = operands_of(types.kind);
  const auto region_of = [&](int side) {
    return region(operand(types, side).shape, axes, ranges, side != kOutput,
                  side == kOutput ? 0 : static_cast<std::size_t>(side));
  };
  const std::vector<Range> picture = region_of(which.picture);
  WindowAttributes window = part_window(types, axes, ranges, picture, region_of(which.places));
  if (window.groups > 1) {
    const std::int64_t in_group = operand(types, which.picture).shape[1] / window_of(types).groups;
    window.groups = picture[1].extent() / in_group;
  }
  return window;
}

// How much of what an output has lies before what its input has, and behind it; negative where the
// input has more. The first value of the whole input is value begin[d] of the whole output.
PadAttributes margins_of_part(const OperationTypes& types, const Axes& axes,
                              const std::vector<Range>& ranges,
                              const std::vector<std::int64_t>& begin) {
  const std::vector<Range> in = region(types.inputs[0].shape, axes, ranges, true, 0);
  const std::vector<Range> out = region(types.outputs[0].shape, axes, ranges, false, 0);
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
  const std::vector<Range> in = region(types.inputs[0].shape, axes, ranges, true, 0);
  const std::vector<Range> out = region(types.outputs[0].shape, axes, ranges, false, 0);
  for (std::size_t d = 0; d < slice.start.size(); ++d)
    if (slice.step[d] == 1) slice.start[d] += out[d].begin - in[d].begin;
  slice.extent = extents_of(out);
  return slice;
}

Attributes part_attributes(const OperationTypes& types, const Axes& axes,
                           const std::vector<Range>& ranges) {
  const auto output = [&] {
    return extents_of(region(types.outputs[0].shape, axes, ranges, false, 0));
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
      return conv_part(types, axes, ranges);
    case Operator::MaxPool:
    case Operator::AveragePool:
      return part_window(types, axes, ranges, region(types.inputs[0].shape, axes, ranges, true, 0),
                         region(types.outputs[0].shape, axes, ranges, false, 0));
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
      part.begin += region(types.inputs[0].shape, axes, ranges, true, 0)[1].begin;
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

Axes all_axes(const OperationTypes& types) {
  const Operator kind = types.kind;
  if (kind <= Operator::SiluGradient) return pointwise_axes(types);
  if (kind <= Operator::Min) return broadcast_axes(types);
  if (kind <= Operator::MinGradient)
    return operand_gradient_axes(types, kind == Operator::BroadcastSum);
  if (kind <= Operator::Where) return broadcast_axes(types);
  if (kind <= Operator::WhereFalseGradient) return operand_gradient_axes(types, false);
  if (kind >= Operator::ReduceSum && kind <= Operator::ReduceLogSumExpGradient)
    return reduce_axes(types, (static_cast<int>(kind) - static_cast<int>(Operator::ReduceSum)) % 2);
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
  return region(types.inputs[position].shape, axes, ranges, true, position);
}

std::vector<Range> part_of_output(const OperationTypes& types, const std::vector<PartAxis>& axes,
                                  const std::vector<Range>& ranges, std::size_t position) {
  return region(types.outputs[position].shape, axes, ranges, false, position);
}

std::vector<PartAxis> part_axes(const OperationTypes& types) {
  if (is_a_later_part(types)) return {};
  Axes axes = all_axes(types);
  axes.erase(std::remove_if(axes.begin(), axes.end(),
                            [](const PartAxis& axis) { return axis.extent <= 1; }),
             axes.end());
  return axes;
}

namespace {

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
    cut.extent = extents_of(region(types.inputs[0].shape, axes, ranges, true, 0));
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
  const Range out = region(types.outputs[0].shape, axes, ranges, false, 0)[joined];
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
    for (const Range& range : region(piece.whole, axes, ranges, false, 0))
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
        region(table, axes, ranges, !is_gradient, 0)[static_cast<std::size_t>(picked)];
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
