#pragma once

#include <cstdint>

namespace poet {

// What a problem's figures may be, so that nothing is lost before anybody compares them. Planners
// state rows in doubles, which tell whole bytes apart up to 2^53 (8 PiB): so much all sizes
// together may be. Energies, times and powers are divided and multiplied by sizes, by other costs
// and by units of models: from 1e-60 to 1e60, products of five of them still neither overflow nor
// vanish. Outside there is no device, but a unit mistaken or a number cut off.
inline constexpr std::int64_t kMostBytesInAll = std::int64_t{1} << 53;
inline constexpr double kLeastFigure = 1e-60;
inline constexpr double kMostFigure = 1e60;

constexpr bool is_in_figure_range(double figure) {
  return figure == 0 || (kLeastFigure <= figure && figure <= kMostFigure);
}

}  // namespace poet
