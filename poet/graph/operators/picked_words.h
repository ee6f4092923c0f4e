#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"

namespace poet {

// What the operators have in common whose indices have the dimensions of what they pick or place:
// gather_elements.cc, scatter.cc.

// Nothing when `indices` are whole numbers with the extents of x but along the axis.
Failure check_elements(const TensorType& x, const TensorType& indices, std::int64_t axis);

// poet_elements_shape (poet/runtime/gather_elements.h).
std::vector<KernelWord> elements_words(const TensorType& x, const TensorType& indices,
                                       std::int64_t axis);

// Along the dimensions before the axis. What each pointer is, in the call's order: 'x' has the
// extents of x, 'i' those of the indices, and are these, and 'p' is picked or placed.
Division elements_along_outer(const KernelCall& call, std::string_view inputs,
                              std::string_view outputs);

}  // namespace poet
