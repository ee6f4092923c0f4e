#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// What becomes of a pixel p of 0 to 255: (p / 255 - mean) / deviation, each channel with its own
// figures.
struct PixelScale {
  std::vector<float> mean = {};       // empty: 0; one: of every channel
  std::vector<float> deviation = {};  // empty: 1; one: of every channel; above 0

  bool operator==(const PixelScale&) const = default;
};

// Refuses figures for another number of channels, and deviations that are not above 0.
Failure check_scale(const PixelScale& scale, std::int64_t channels);

// Pixels as read_numbers() writes them, Float32 (C, H, W), are scaled in place.
void scale_pixels(const PixelScale& scale, std::int64_t channels, std::span<std::byte> pixels);

}  // namespace poet
