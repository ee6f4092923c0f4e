#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "poet/model/onnx/operators.h"

// Resize and Upsample, one dimension after the other. Nearest values are picked by a constant list
// of places, or expanded where each is repeated as often; what is in between is a product with a
// constant matrix, which has few values that are not 0 in a row: its gradient is the product with
// the transposed one, and nothing is kept for it.

namespace poet {
namespace {

// A dimension as it was and as it will be. `scale` is the file's where it gives scales, which may
// not divide to whole extents.
struct Stretch {
  std::int64_t from = 1;
  std::int64_t to = 1;
  double scale = 1;
  double start = 0;  // of the region that is resized, as a share of the extent
  double end = 1;
};

struct ResizeNode {
  std::string mode = "nearest";
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  double cubic = -0.75;
  bool excludes_outside = false;
  std::vector<Stretch> stretches = {};
};

// Where in the original a place of the result lies.
double original_place(const ResizeNode& resize, const Stretch& along, std::int64_t place) {
  const auto x = static_cast<double>(place);
  const auto from = static_cast<double>(along.from);
  const auto to = static_cast<double>(along.to);
  const std::string& how = resize.coordinates;
  if (how == "asymmetric") return x / along.scale;
  if (how == "tf_half_pixel_for_nn") return (x + 0.5) / along.scale;
  if (how == "align_corners") return along.to == 1 ? 0 : x * (from - 1) / (to - 1);
  if (how == "tf_crop_and_resize")
    return along.to == 1
               ? 0.5 * (along.start + along.end) * (from - 1)
               : along.start * (from - 1) + x * (along.end - along.start) * (from - 1) / (to - 1);
  if (how == "pytorch_half_pixel" && along.to == 1) return 0;
  const double half_pixel = (x + 0.5) / along.scale - 0.5;
  if (how != "half_pixel_symmetric") return half_pixel;
  return from / 2 * (1 - to / (along.scale * from)) + half_pixel;
}

std::int64_t nearest_place(const ResizeNode& resize, const Stretch& along, std::int64_t place) {
  const double x = original_place(resize, along, place);
  const double rounded = resize.nearest == "floor"               ? std::floor(x)
                         : resize.nearest == "ceil"              ? std::ceil(x)
                         : resize.nearest == "round_prefer_ceil" ? std::floor(x + 0.5)
                                                                 : std::ceil(x - 0.5);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(rounded), 0, along.from - 1);
}

// How much a value counts that lies at this distance, with a linear or a cubic spline.
double spline(const ResizeNode& resize, double distance) {
  const double x = std::abs(distance);
  if (resize.mode == "linear") return std::max(0.0, 1 - x);
  const double a = resize.cubic;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// Row j holds how much each original value counts for place j. What lies outside is the nearest
// value, or is left out.
std::vector<float> weights_of(const ResizeNode& resize, const Stretch& along) {
  std::vector<float> matrix(static_cast<std::size_t>(along.from * along.to));
  const std::int64_t reach = resize.mode == "linear" ? 1 : 2;
  for (std::int64_t j = 0; j < along.to; ++j) {
    const double x = original_place(resize, along, j);
    const auto first = static_cast<std::int64_t>(std::floor(x)) - reach + 1;
    std::vector<double> row(static_cast<std::size_t>(along.from));
    double sum = 0;
    for (std::int64_t i = first; i < first + 2 * reach; ++i) {
      const bool is_inside = i >= 0 && i < along.from;
      if (!is_inside && resize.excludes_outside) continue;
      const double weight = spline(resize, static_cast<double>(i) - x);
      row[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, along.from - 1))] += weight;
      sum += weight;
    }
    const double divisor = resize.excludes_outside && sum != 0 ? sum : 1;
    for (std::int64_t i = 0; i < along.from; ++i)
      matrix[static_cast<std::size_t>(j * along.from + i)] =
          static_cast<float>(row[static_cast<std::size_t>(i)] / divisor);
  }
  return matrix;
}

// x (outer, from, inner), and what comes out.
struct Around {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  Shape result = {};
};

Around around(const Shape& shape, std::size_t axis, std::int64_t to) {
  Around sides{.result = shape};
  sides.result[axis] = to;
  const auto at_axis = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  sides.outer = value_count({shape.begin(), at_axis});
  sides.inner = value_count({at_axis + 1, shape.end()});
  return sides;
}

TensorId interpolated(NodeImport& node, const ResizeNode& resize, TensorId x, std::size_t axis) {
  const Stretch& along = resize.stretches[axis];
  const Around sides = around(node.shape_of(x), axis, along.to);
  if (Failure failure = check_shape({along.to, along.from}, "the matrix that resizes")) {
    node.refuse(failure->message);
    return x;
  }
  const TensorId matrix = node.known(
      constant_of({{ElementType::Float32, {along.to, along.from}}, weights_of(resize, along)}),
      "resize");
  TensorId y{};
  if (sides.inner == 1) {
    y = node.add(Operator::MatMul, MatMulAttributes{.transpose_b = true},
                 {node.reshaped(x, {sides.outer, along.from}), matrix});
  } else {
    y = node.add(Operator::MatMul, MatMulAttributes{},
                 {matrix, node.reshaped(x, {sides.outer, along.from, sides.inner})});
  }
  return node.failed() ? x : node.reshaped(y, sides.result);
}

TensorId picked(NodeImport& node, const ResizeNode& resize, TensorId x, std::size_t axis) {
  const Stretch& along = resize.stretches[axis];
  std::vector<std::int64_t> places(static_cast<std::size_t>(along.to));
  const std::int64_t times = along.to / along.from;
  bool is_repeated = along.to % along.from == 0;
  for (std::int64_t j = 0; j < along.to; ++j) {
    places[static_cast<std::size_t>(j)] = nearest_place(resize, along, j);
    is_repeated = is_repeated && places[static_cast<std::size_t>(j)] == j / times;
  }
  if (!is_repeated) {
    const TensorId list =
        node.known(constant_of({{ElementType::Int32, {along.to}}, places}), "places");
    return node.add(Operator::Gather, AxisAttributes{static_cast<std::int64_t>(axis)}, {x, list});
  }
  return node.repeated(x, axis, times);
}

// The dimensions that scales, sizes and roi are of.
std::vector<std::int64_t> resized_axes(NodeImport& node) {
  const std::int64_t rank = node.rank(0);
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (!node.has_attribute("axes")) return axes;
  axes = node.wholes("axes");
  node.axes(axes, rank);
  for (std::int64_t& axis : axes) axis = node.axis(axis, rank);
  return axes;
}

std::vector<float> known_floats(NodeImport& node, int i, const char* what) {
  if (!node.has_input(i)) return {};
  const Constant* const known = node.constant(i);
  if (known == nullptr || value_count(known->type.shape) > kLargestKnownArray ||
      known->type.element != ElementType::Float32) {
    node.refuse(fmt::format("{} must be float32 values known before the network runs", what));
    return {};
  }
  return array_of(*known).floats();
}

void stretch_by_scales(NodeImport& node, const std::vector<std::int64_t>& axes,
                       const std::vector<float>& scales, ResizeNode& resize) {
  if (scales.size() != axes.size())
    return node.refuse(fmt::format("has {} scales for {} dimensions", scales.size(), axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Stretch& along = resize.stretches[static_cast<std::size_t>(axes[i])];
    along.scale = scales[i];
    const double extent = std::floor(static_cast<double>(along.from) * along.scale);
    if (!(extent >= 1 && extent <= static_cast<double>(kMaxValues)))
      return node.refuse(fmt::format("a scale of {} makes no extent of {}", scales[i], along.from));
    along.to = static_cast<std::int64_t>(extent);
    // ONNX's own reference places the corners of an extent that is no whole number; PyTorch those
    // of the whole one.
    if (resize.coordinates == "align_corners" && along.scale != 1 &&
        extent != static_cast<double>(along.from) * along.scale)
      return node.refuse(
          fmt::format("with align_corners a scale of {} of {} places is read in two ways: export "
                      "it with a size in place of a scale",
                      scales[i], along.from),
          ErrorCode::Unsupported);
  }
}

void stretch_to_sizes(NodeImport& node, const std::vector<std::int64_t>& axes,
                      const std::vector<std::int64_t>& sizes, ResizeNode& resize) {
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (sizes.size() != axes.size())
    return node.refuse(fmt::format("has {} sizes for {} dimensions", sizes.size(), axes.size()));
  std::optional<double> shared;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Stretch& along = resize.stretches[static_cast<std::size_t>(axes[i])];
    if (sizes[i] < 1 || sizes[i] > kMaxValues)
      return node.refuse(fmt::format("its sizes are {}", to_text(sizes)));
    along.to = sizes[i];
    along.scale = static_cast<double>(along.to) / static_cast<double>(along.from);
    if (!shared || (policy == "not_larger" ? along.scale < *shared : along.scale > *shared))
      shared = along.scale;
  }
  if (policy == "stretch") return;
  if (policy != "not_larger" && policy != "not_smaller")
    return node.refuse("keep_aspect_ratio_policy must be stretch, not_larger or not_smaller");
  for (const std::int64_t axis : axes) {
    Stretch& along = resize.stretches[static_cast<std::size_t>(axis)];
    along.scale = shared.value_or(1);
    along.to = std::max<std::int64_t>(
        1,
        static_cast<std::int64_t>(std::floor(static_cast<double>(along.from) * along.scale + 0.5)));
  }
}

// The part of each dimension that is resized; values outside the original would need another rule.
void read_region(NodeImport& node, const std::vector<std::int64_t>& axes,
                 const std::vector<float>& region, ResizeNode& resize) {
  node.ignore("extrapolation_value");
  if (resize.coordinates != "tf_crop_and_resize") return;
  if (region.size() != 2 * axes.size())
    return node.refuse(
        fmt::format("has {} values of roi for {} dimensions", region.size(), axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Stretch& along = resize.stretches[static_cast<std::size_t>(axes[i])];
    along.start = region[i];
    along.end = region[i + axes.size()];
    const auto is_inside = [](double share) { return share >= 0 && share <= 1; };
    if (!is_inside(along.start) || !is_inside(along.end))
      return node.refuse("POET resizes what lies inside the input, and its roi does not",
                         ErrorCode::Unsupported);
  }
}

void check_modes(NodeImport& node, const ResizeNode& resize) {
  const auto is_one_of = [](const std::string& text, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&text](const char* word) { return text == word; });
  };
  if (!is_one_of(resize.mode, {"nearest", "linear", "cubic"}))
    node.refuse("its mode must be nearest, linear or cubic", ErrorCode::Unsupported);
  if (!is_one_of(resize.coordinates,
                 {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                  "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}))
    node.refuse("POET does not know its coordinate_transformation_mode", ErrorCode::Unsupported);
  if (!is_one_of(resize.nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}))
    node.refuse("POET does not know its nearest_mode", ErrorCode::Unsupported);
}

ResizeNode new_resize(NodeImport& node) {
  ResizeNode resize;
  for (const std::int64_t extent : node.shape(0))
    resize.stretches.push_back({.from = extent, .to = extent});
  return resize;
}

void output_resized(NodeImport& node, const ResizeNode& resize) {
  if (node.failed()) return;
  Shape shape;
  for (const Stretch& along : resize.stretches) shape.push_back(along.to);
  if (Failure failure = check_shape(shape, "its output")) return node.refuse(failure->message);
  TensorId y = node.tensor(0);
  // Dimensions that become smaller go first: the rest has less to do then.
  for (const bool shrinking : {true, false})
    for (std::size_t d = 0; d < resize.stretches.size() && !node.failed(); ++d) {
      const Stretch& along = resize.stretches[d];
      const bool stays =
          along.to == along.from && along.scale == 1 && along.start == 0 && along.end == 1;
      if (stays || (along.to < along.from) != shrinking) continue;
      y = resize.mode == "nearest" ? picked(node, resize, y, d) : interpolated(node, resize, y, d);
    }
  if (!node.failed() && y == node.tensor(0)) return node.output_input(0, 0);
  node.output(0, y);
}

// Opsets 7 to 9, and Resize in 10: places are divided by the scale and cut off.
void import_upsample(NodeImport& node) {
  const bool by_input = node.opset() >= 9;
  node.expect_inputs(by_input ? 2 : 1, by_input ? 2 : 1);
  ResizeNode resize = new_resize(node);
  resize.mode = node.text("mode", "nearest");
  if (resize.mode == "bilinear") resize.mode = "linear";
  resize.coordinates = "asymmetric";
  resize.nearest = "floor";
  check_modes(node, resize);
  std::vector<std::int64_t> axes(resize.stretches.size());
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<float> scales =
      by_input ? known_floats(node, 1, "its scales") : node.numbers("scales");
  if (!node.failed()) stretch_by_scales(node, axes, scales, resize);
  output_resized(node, resize);
}

void import_resize(NodeImport& node) {
  if (node.opset() < 11) return import_upsample(node);
  node.expect_inputs(1, 4);
  ResizeNode resize = new_resize(node);
  resize.mode = node.text("mode", "nearest");
  resize.coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  resize.nearest = node.text("nearest_mode", "round_prefer_floor");
  resize.cubic = node.number("cubic_coeff_a", -0.75F);
  resize.excludes_outside = node.flag("exclude_outside", false);
  check_modes(node, resize);
  const std::vector<std::int64_t> axes = resized_axes(node);
  if (node.failed()) return;
  // An empty list stands for one that is left out.
  const std::vector<float> scales = known_floats(node, 2, "its scales");
  if (!scales.empty()) {
    node.ignore("keep_aspect_ratio_policy");
    stretch_by_scales(node, axes, scales, resize);
  } else {
    stretch_to_sizes(node, axes, node.known_wholes(3, "its sizes"), resize);
  }
  const bool shrinks = std::any_of(resize.stretches.begin(), resize.stretches.end(),
                                   [](const Stretch& along) { return along.to < along.from; });
  if (node.flag("antialias", false) && shrinks && resize.mode != "nearest")
    node.refuse("POET does not smooth what it makes smaller: export it with antialias=False",
                ErrorCode::Unsupported);
  if (!node.failed()) read_region(node, axes, known_floats(node, 1, "its roi"), resize);
  output_resized(node, resize);
}

}  // namespace

std::vector<OnnxOperator> resize_onnx_operators() {
  return {{"Resize", import_resize}, {"Upsample", import_upsample}};
}

}  // namespace poet
