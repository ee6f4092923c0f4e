#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// A picture as bytes, (H, W, C).
struct Pixels {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;  // 1, grey, or 3: red, green, blue
  std::vector<std::uint8_t> bytes = {};
};

// Pictures have no more of them: what says more is a mistake or means harm.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;

// Reads a JPEG or PNG file, whichever its first bytes say, in so many channels; what is transparent
// is before black. How a camera was held is not looked at. Refuses files that are neither, and
// those that are damaged. The one adapter of libjpeg-turbo and libpng.
Result<Pixels> read_picture(const std::string& path, std::int64_t channels);

// The middle of the picture in the form height : width, as large as it can be, made as large as
// asked: each pixel is the mean of the area that it stands for, rounded to nearest. In channels
// (C, H, W), as networks have pictures.
std::vector<std::uint8_t> fitted_picture(const Pixels& picture, std::int64_t height,
                                         std::int64_t width);

}  // namespace poet
