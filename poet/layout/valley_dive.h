#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/base/stop.h"
#include "poet/layout/first_fit.h"
#include "poet/layout/sections.h"

namespace poet {

// One packing from below without a second thought, for plans of any size: always in the lowest
// valley, in the section of it that has most still to hold, the block of the highest rank that lies
// wholly in the valley; where there is none the section's floor rises to the lower wall. Nothing
// when it grows beyond `limit` (in units), or is stopped.
std::optional<UnitOffsets> valley_dive(const Sections& sections, const std::vector<double>& rank,
                                       std::int64_t limit, const Stop& stop);

}  // namespace poet
