#include "poet/data/pixel_scale.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace poet {
namespace {

float figure_of(const std::vector<float>& figures, std::int64_t channel, float otherwise) {
  if (figures.empty()) return otherwise;
  return figures.size() == 1 ? figures[0] : figures[static_cast<std::size_t>(channel)];
}

Failure check_count(const std::vector<float>& figures, std::int64_t channels, const char* what) {
  const auto count = static_cast<std::int64_t>(figures.size());
  if (count <= 1 || count == channels) return std::nullopt;
  return bad_input(
      fmt::format("{} {} are given for pictures of {} channel{}: give one for all or "
                  "one for each",
                  count, what, channels, channels == 1 ? "" : "s"));
}

}  // namespace

Failure check_scale(const PixelScale& scale, std::int64_t channels) {
  if (Failure failure = check_count(scale.mean, channels, "means")) return failure;
  if (Failure failure = check_count(scale.deviation, channels, "deviations")) return failure;
  for (const float deviation : scale.deviation)
    if (!(deviation > 0))
      return bad_input(fmt::format("the deviation of pixels is {}: it must be above 0", deviation));
  return std::nullopt;
}

void scale_pixels(const PixelScale& scale, std::int64_t channels, std::span<std::byte> pixels) {
  const std::size_t plane_bytes = pixels.size() / static_cast<std::size_t>(channels);
  for (std::int64_t c = 0; c < channels; ++c) {
    const float mean = figure_of(scale.mean, c, 0);
    const float deviation = figure_of(scale.deviation, c, 1);
    const std::span<std::byte> plane =
        pixels.subspan(static_cast<std::size_t>(c) * plane_bytes, plane_bytes);
    for (std::size_t at = 0; at < plane.size(); at += sizeof(float)) {
      float pixel = 0;
      std::memcpy(&pixel, plane.data() + at, sizeof pixel);
      pixel = (pixel / 255.0F - mean) / deviation;
      std::memcpy(plane.data() + at, &pixel, sizeof pixel);
    }
  }
}

}  // namespace poet
