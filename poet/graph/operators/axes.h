#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "poet/graph/part_axes.h"

namespace poet {

// Along what operations can be cut (poet/graph/part_axes.h): what their axes are made of, and the
// axes of each kind of operation.

using Axes = std::vector<PartAxis>;

// An axis that nothing follows yet.
PartAxis axis_of(const OperationTypes& types, std::int64_t extent,
                 AxisKind kind = AxisKind::Independent);

// Dimension d, value by value.
Follows dimension(std::size_t d);

// Losses of classes, whole (but for means, whose division comes last) and in parts, and softmax
// along its dimension in parts.
Axes class_axes(const OperationTypes& types);

}  // namespace poet
