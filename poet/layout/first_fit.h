#pragma once

#include <cstdint>
#include <vector>

#include "poet/layout/sections.h"

namespace poet {

// What makes a block one to be placed early.
enum class Rank {
  Area,      // sections times size
  Size,      // then sections
  Life,      // sections, then size
  TallArea,  // sections times the square of the size
  FullLife,  // the largest load that it meets, then sections
};

// By block; the higher the earlier. With a noise of 0.3 each is multiplied by something between 1
// and 1.3, by the seed.
std::vector<double> ranks(const Sections& sections, Rank rank, double noise, std::uint64_t seed);

// Blocks in falling rank.
std::vector<std::int32_t> order_by(const std::vector<double>& ranks);

// Offsets in units, by block of the sections.
using UnitOffsets = std::vector<std::int64_t>;

// Blocks one after the other, each at the lowest offset that is free for its whole life.
UnitOffsets first_fit(const Sections& sections, const std::vector<std::int32_t>& order);

// The highest end of any block, in units.
std::int64_t height_of(const Sections& sections, const UnitOffsets& offsets);

}  // namespace poet
