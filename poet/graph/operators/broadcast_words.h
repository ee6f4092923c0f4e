#pragma once

#include <cstdint>
#include <vector>

#include "poet/graph/operator_table.h"

namespace poet {

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
