#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace poet {

// Extents, outermost dimension first; none: a scalar.
using Shape = std::vector<std::int64_t>;

inline std::int64_t value_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace poet
