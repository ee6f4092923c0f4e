#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace poet {

// Floats between -1 and 1, the same on every machine.
inline std::vector<float> arbitrary_values(std::size_t count, std::uint32_t seed) {
  std::uint32_t state = seed * 2654435761U + 12345U;
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values.push_back(static_cast<float>(state >> 8) / 8388608.0F - 1.0F);
  }
  return values;
}

}  // namespace poet
