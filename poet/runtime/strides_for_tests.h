#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace poet {

using Extents = std::vector<std::int32_t>;

inline std::size_t volume(const Extents& extents) {
  std::size_t count = 1;
  for (const std::int32_t extent : extents) count *= static_cast<std::size_t>(extent);
  return count;
}

// Row-major strides.
inline Extents dense_strides(const Extents& extents) {
  Extents strides(extents.size());
  std::int32_t stride = 1;
  for (std::size_t d = extents.size(); d-- > 0; stride *= extents[d]) strides[d] = stride;
  return strides;
}

// The strides by which an operand is read at the places of a result: 0 where it has one element and
// the result more. Both have the same rank.
inline Extents broadcast_strides(const Extents& operand, const Extents& result) {
  Extents strides = dense_strides(operand);
  for (std::size_t d = 0; d < result.size(); ++d)
    if (operand[d] == 1 && result[d] != 1) strides[d] = 0;
  return strides;
}

// Where the element stands that is number `index` in row-major order.
inline std::ptrdiff_t place_of(std::size_t index, const Extents& extents, const Extents& strides) {
  std::ptrdiff_t place = 0;
  for (std::size_t d = extents.size(); d-- > 0; index /= static_cast<std::size_t>(extents[d]))
    place += static_cast<std::ptrdiff_t>(index % static_cast<std::size_t>(extents[d])) * strides[d];
  return place;
}

inline void fill_axes(std::int32_t* axes, const Extents& values) {
  for (std::size_t d = 0; d < values.size(); ++d) axes[d] = values[d];
}

}  // namespace poet
