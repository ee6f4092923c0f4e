#pragma once

#include <string>
#include <vector>

#include "poet/runtime/broadcast.h"
#include "poet/runtime/strides_for_tests.h"

namespace poet {

// Two operands of the same rank, each axis equal or 1.
struct BroadcastCase {
  std::string name;
  Extents a;
  Extents b;

  Extents y() const {
    Extents extents = a;
    for (std::size_t d = 0; d < a.size(); ++d) extents[d] = a[d] == 1 ? b[d] : a[d];
    return extents;
  }
};

inline const std::vector<BroadcastCase>& broadcast_cases() {
  static const std::vector<BroadcastCase> cases = {
      {"Dense", {2, 3, 5}, {2, 3, 5}},
      {"One", {1}, {1}},
      {"ScalarB", {4, 9}, {1, 1}},
      {"ScalarA", {1, 1}, {4, 9}},
      {"RowB", {6, 17}, {1, 17}},
      {"ColumnB", {6, 17}, {6, 1}},
      {"ChannelB", {2, 3, 4, 5}, {1, 3, 1, 1}},
      {"ChannelA", {1, 3, 1, 1}, {2, 3, 4, 5}},
      {"Both", {3, 1, 4}, {1, 5, 4}},
      {"Crossed", {3, 1}, {1, 7}},
      {"EightAxes", {2, 1, 2, 1, 2, 1, 2, 3}, {1, 2, 2, 1, 1, 3, 2, 1}},
      {"LongRow", {2, 5000}, {1, 5000}},
  };
  return cases;
}

inline poet_broadcast_shape broadcast_shape(const BroadcastCase& c) {
  poet_broadcast_shape shape = {};
  shape.rank = static_cast<std::int32_t>(c.a.size());
  fill_axes(shape.extents, c.y());
  fill_axes(shape.a_strides, broadcast_strides(c.a, c.y()));
  fill_axes(shape.b_strides, broadcast_strides(c.b, c.y()));
  return shape;
}

// Which axes of y the operand has: of `own`, those that are not broadcast are kept.
struct KeptAndSummed {
  Extents kept;  // numbers of axes
  Extents summed;
};

inline KeptAndSummed split_axes(const Extents& own, const Extents& y) {
  KeptAndSummed split;
  for (std::size_t d = 0; d < y.size(); ++d)
    (own[d] == y[d] ? split.kept : split.summed).push_back(static_cast<std::int32_t>(d));
  return split;
}

inline Extents picked(const Extents& values, const Extents& axes) {
  Extents result;
  for (const std::int32_t axis : axes) result.push_back(values[static_cast<std::size_t>(axis)]);
  return result;
}

// The shape of the gradient of the operand whose extents are `own`.
inline poet_broadcast_gradient_shape gradient_shape(const BroadcastCase& c, const Extents& own) {
  const Extents y = c.y();
  const KeptAndSummed split = split_axes(own, y);
  poet_broadcast_gradient_shape shape = {};
  shape.kept_rank = static_cast<std::int32_t>(split.kept.size());
  shape.summed_rank = static_cast<std::int32_t>(split.summed.size());
  fill_axes(shape.kept_extents, picked(y, split.kept));
  fill_axes(shape.summed_extents, picked(y, split.summed));
  fill_axes(shape.dy_kept_strides, picked(dense_strides(y), split.kept));
  fill_axes(shape.dy_summed_strides, picked(dense_strides(y), split.summed));
  fill_axes(shape.a_kept_strides, picked(broadcast_strides(c.a, y), split.kept));
  fill_axes(shape.a_summed_strides, picked(broadcast_strides(c.a, y), split.summed));
  fill_axes(shape.b_kept_strides, picked(broadcast_strides(c.b, y), split.kept));
  fill_axes(shape.b_summed_strides, picked(broadcast_strides(c.b, y), split.summed));
  return shape;
}

}  // namespace poet
