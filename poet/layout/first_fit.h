#pragma once

#include <cstdint>
#include <vector>

#include "poet/layout/sections.h"

namespace poet {

// Offsets in units, by block of the sections.
using UnitOffsets = std::vector<std::int64_t>;

// Blocks one after the other, each at the lowest offset that is free for its whole life.
UnitOffsets first_fit(const Sections& sections, const std::vector<std::int32_t>& order);

// The highest end of any block, in units.
std::int64_t height_of(const Sections& sections, const UnitOffsets& offsets);

}  // namespace poet
