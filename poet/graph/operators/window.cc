#include "poet/graph/operators/window.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/graph/operators/shape_rules.h"

namespace poet {
namespace {

constexpr std::size_t kMostSpatial = 3;

std::int64_t places(const WindowAttributes& window, std::int64_t picture, std::size_t d) {
  const std::int64_t padded = picture + window.padding_begin[d] + window.padding_end[d];
  const std::int64_t room = padded - reach(window, d);
  const std::int64_t steps = room / window.stride[d];
  if (!window.round_up || room % window.stride[d] == 0) return steps + 1;
  const bool begins_inside = (steps + 1) * window.stride[d] < picture + window.padding_begin[d];
  return steps + (begins_inside ? 2 : 1);
}

}  // namespace

Shape spatial_extents(const TensorType& picture) {
  return Shape(picture.shape.begin() + 2, picture.shape.end());
}

Shape picture_shape(std::int64_t batch, std::int64_t channels, const Shape& extents) {
  Shape shape{batch, channels};
  shape.insert(shape.end(), extents.begin(), extents.end());
  return shape;
}

Failure check_window(const WindowAttributes& window, const TensorType& picture) {
  if (picture.shape.size() < 3 || picture.shape.size() > 2 + kMostSpatial)
    return bad_input(
        fmt::format("takes (N, C) and 1 to 3 spatial dimensions, not {}", to_text(picture.shape)));
  const std::size_t count = picture.shape.size() - 2;
  if (Failure failure = demand_list(window.kernel, {"kernel", count, 1})) return failure;
  if (Failure failure = demand_list(window.stride, {"stride", count, 1})) return failure;
  if (Failure failure = demand_list(window.dilation, {"dilation", count, 1})) return failure;
  if (Failure failure = demand_list(window.padding_begin, {"padding_begin", count, 0}))
    return failure;
  return demand_list(window.padding_end, {"padding_end", count, 0});
}

std::int64_t reach(const WindowAttributes& window, std::size_t dimension) {
  return window.dilation[dimension] * (window.kernel[dimension] - 1) + 1;
}

Failure check_moves(const WindowAttributes& window, std::size_t dimension, std::int64_t padded) {
  if (padded > kMaxValues)
    return bad_input(fmt::format("spatial dimension {} has more than {} values with its padding",
                                 dimension, kMaxValues));
  const std::int64_t farthest =
      std::max({reach(window, dimension), window.stride[dimension], window.dilation[dimension]});
  if (farthest <= kMaxValues - padded) return std::nullopt;
  return bad_input(
      fmt::format("the window moves by {} in spatial dimension {}, which has {} values with its "
                  "padding: together these must be at most {}",
                  farthest, dimension, padded, kMaxValues));
}

Result<Shape> window_places(const WindowAttributes& window, const Shape& picture) {
  Shape extents;
  for (std::size_t d = 0; d < picture.size(); ++d) {
    const std::int64_t padded = picture[d] + window.padding_begin[d] + window.padding_end[d];
    if (reach(window, d) > padded)
      return bad_input(
          fmt::format("the window reaches over {} values of spatial dimension {}, which has only "
                      "{} with its padding",
                      reach(window, d), d, padded));
    extents.push_back(places(window, picture[d], d));
    const std::int64_t covered = (extents.back() - 1) * window.stride[d] + reach(window, d);
    if (Failure failure = check_moves(window, d, std::max(padded, covered))) return *failure;
  }
  return extents;
}

void add_spatial(KernelWords& words, std::string_view field,
                 const std::vector<std::int64_t>& values, std::int64_t filler) {
  const std::size_t missing = kMostSpatial - values.size();
  for (std::size_t d = 0; d < kMostSpatial; ++d)
    words.integer(fmt::format("{}[{}]", field, d), d < missing ? filler : values[d - missing]);
}

}  // namespace poet
