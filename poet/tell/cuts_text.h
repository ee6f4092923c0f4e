#pragma once

#include <cstdint>

#include "poet/parts/cuts.h"
#include "poet/tell/inspect.h"

namespace poet {

// What was cut of a training step so that no part of an operation needs more than `part_bytes`: the
// dimensions, with the operation that made each smaller, and the operations that come in parts.
Description describe_cuts(const Cuts& cuts, std::int64_t part_bytes);

}  // namespace poet
