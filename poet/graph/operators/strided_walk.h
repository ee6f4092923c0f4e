#pragma once

#include <cstdint>
#include <vector>

#include "poet/graph/operator_table.h"
#include "poet/graph/shape.h"

namespace poet {

// A walk over all indices of `extents` in row-major order, by several arrays at once: one list of
// strides for each, in elements, 0 where the array is repeated.
struct StridedWalk {
  Shape extents = {};
  std::vector<std::vector<std::int64_t>> strides = {};

  bool operator==(const StridedWalk&) const = default;
};

// The same places in the same order in as few dimensions as possible: those of extent 1 are left
// out, neighbours that every array walks through as through one are merged. Kernels get long inner
// loops from it.
StridedWalk merged(const StridedWalk& walk);
// The same, with one dimension of extent 1 where none would be left.
StridedWalk merged_not_empty(const StridedWalk& walk);

// Of an array that is stored densely, row-major.
std::vector<std::int64_t> dense_strides(const Shape& shape);

// Of a dense array of the shape `operand` along the dimensions of `shape`, to which it broadcasts.
std::vector<std::int64_t> broadcast_strides(const Shape& operand, const Shape& shape);

// The words of poet_broadcast_shape (poet/runtime/broadcast.h), for an output of the shape `y` of
// operands of the shapes `a` and `b`.
std::vector<KernelWord> broadcast_words(const Shape& y, const Shape& a, const Shape& b);

// What the gradient of an operand of a broadcast operation is summed of.
struct BroadcastGradient {
  Shape dy;       // the shape of the operation's output
  Shape operand;  // of the gradient
  Shape a = {};   // of what else the gradient reads; a scalar where it is not there
  Shape b = {};
};

// Whether several values of dy make one of the gradient.
bool sums(const BroadcastGradient& gradient);

// The words of poet_broadcast_gradient_shape.
std::vector<KernelWord> broadcast_gradient_words(const BroadcastGradient& gradient);

// The words of poet_broadcast_sum_shape (poet/runtime/broadcast_sum.h): dy alone is summed, and
// multiplied by `alpha`.
std::vector<KernelWord> broadcast_sum_words(const BroadcastGradient& gradient, float alpha);

}  // namespace poet
