#include <algorithm>
#include <optional>

#include "poet/base/check.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/window.h"

// Convolutions and pools: pictures, channels, and places with the values that their windows meet.

namespace poet {
namespace {

const WindowAttributes& window_of(const OperationTypes& types) {
  return std::get<WindowAttributes>(types.attributes);
}

Halo halo_of(const WindowAttributes& window, std::size_t d, bool turned) {
  return {.stride = window.stride[d],
          .padding = window.padding_begin[d],
          .reach = reach(window, d),
          .turned = turned};
}

// Which operand of a convolution is what: an input by its position, or the output.
using Operand = std::optional<std::size_t>;
constexpr Operand kOutput = std::nullopt;
struct ConvOperands {
  Operand picture = 0;  // the side of the convolution that goes in
  Operand weights = 1;
  Operand places = 0;  // the side that comes out
};

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

const TensorType& operand(const OperationTypes& types, const Operand& which) {
  return which ? types.inputs[*which] : types.outputs[0];
}

std::optional<Follows>& follower(PartAxis& axis, const Operand& which) {
  return which ? axis.inputs[*which] : axis.outputs[0];
}

void mark_kind(PartAxis& axis) {
  axis.kind = axis.outputs[0] ? AxisKind::Independent : AxisKind::Continued;
}

// A bias has a value for each channel of the output.
void add_bias(const OperationTypes& types, PartAxis& axis) {
  if (types.inputs.size() == 3 && axis.outputs[0]) axis.inputs[2] = {dimension(0)};
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

}  // namespace

// Samples, one after the other, and channels.
Axes conv_bias_axes(const OperationTypes& types) {
  PartAxis samples = axis_of(types, types.inputs[0].shape[0], AxisKind::Continued);
  samples.inputs[0] = dimension(0);
  PartAxis channels = axis_of(types, types.inputs[0].shape[1]);
  channels.inputs[0] = dimension(1);
  channels.outputs[0] = dimension(0);
  return {std::move(channels), std::move(samples)};
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

namespace {

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

WindowAttributes window_of_part(const OperationTypes& types, const Axes& axes,
                                const std::vector<Range>& ranges) {
  const ConvOperands which = operands_of(types.kind);
  const auto region_of = [&](const Operand& side) {
    return part_region(operand(types, side).shape, axes, ranges, side.has_value(),
                       side.value_or(0));
  };
  const std::vector<Range> picture = region_of(which.picture);
  WindowAttributes window = part_window(types, axes, ranges, picture, region_of(which.places));
  if (window.groups > 1) {
    const std::int64_t in_group = operand(types, which.picture).shape[1] / window_of(types).groups;
    window.groups = picture[1].extent() / in_group;
  }
  return window;
}

}  // namespace

PartOperation conv_part(const OperationTypes& types, const Axes& axes,
                        const std::vector<Range>& ranges) {
  return on_all_inputs(types, window_of_part(types, axes, ranges));
}

PartOperation pool_part(const OperationTypes& types, const Axes& axes,
                        const std::vector<Range>& ranges) {
  return on_all_inputs(types,
                       part_window(types, axes, ranges, part_of_input(types, axes, ranges, 0),
                                   part_of_output(types, axes, ranges, 0)));
}

}  // namespace poet
