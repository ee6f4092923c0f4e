#include "poet/use/budget_levels.h"

#include <algorithm>
#include <cmath>

#include "poet/base/check.h"

namespace poet {

std::vector<std::int64_t> budget_levels(std::int64_t most_bytes, std::int64_t least_bytes,
                                        std::int64_t levels, std::int64_t piece_bytes) {
  POET_CHECK(levels >= 2 && least_bytes > 0 && least_bytes < most_bytes);
  const double ratio = static_cast<double>(least_bytes) / static_cast<double>(most_bytes);
  std::vector<std::int64_t> list = {most_bytes};
  for (std::int64_t k = 1; k + 1 < levels; ++k) {
    const double part = std::pow(ratio, static_cast<double>(k) / static_cast<double>(levels - 1));
    const auto bytes = static_cast<std::int64_t>(static_cast<double>(most_bytes) * part);
    const std::int64_t whole_bytes = bytes / piece_bytes * piece_bytes;
    if (whole_bytes > least_bytes && whole_bytes < list.back()) list.push_back(whole_bytes);
  }
  list.push_back(least_bytes);
  return list;
}

std::size_t level_within(std::span<const std::int64_t> levels, std::int64_t bytes) {
  for (std::size_t k = 0; k + 1 < levels.size(); ++k)
    if (levels[k] <= bytes) return k;
  return levels.size() - 1;
}

}  // namespace poet
