#include "poet/data/augmentation.h"

#include <algorithm>
#include <cstddef>

#include "poet/base/check.h"
#include "poet/data/counter_draws.h"

namespace poet {
namespace {

// Apart from what data are made of.
constexpr std::uint32_t kStream = 0x617567;
enum Draw : std::uint32_t { kFlip, kDown, kRight };

// One channel, H rows of W.
struct Plane {
  std::span<float> values;
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::span<float> row(std::int64_t y) const {
    return values.subspan(static_cast<std::size_t>(y * width), static_cast<std::size_t>(width));
  }
};

// A row of what lies `right` pixels further right in `from`, which may be the same row.
void take_row(std::span<const float> from, std::int64_t right, std::span<float> into) {
  const auto shift = static_cast<std::size_t>(right < 0 ? -right : right);
  const std::size_t kept = into.size() > shift ? into.size() - shift : 0;
  if (right >= 0) {
    std::copy(from.end() - static_cast<std::ptrdiff_t>(kept), from.end(), into.begin());
    std::fill(into.begin() + static_cast<std::ptrdiff_t>(kept), into.end(), 0.0F);
    return;
  }
  std::copy_backward(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(kept), into.end());
  std::fill(into.begin(), into.end() - static_cast<std::ptrdiff_t>(kept), 0.0F);
}

// Rows are taken before they are written over.
void move(const Plane& plane, std::int64_t down, std::int64_t right) {
  for (std::int64_t k = 0; k < plane.height; ++k) {
    const std::int64_t y = down >= 0 ? k : plane.height - 1 - k;
    const std::int64_t from = y + down;
    if (from >= 0 && from < plane.height)
      take_row(plane.row(from), right, plane.row(y));
    else
      std::fill(plane.row(y).begin(), plane.row(y).end(), 0.0F);
  }
}

}  // namespace

void augment(const Augmentation& augmentation, std::uint64_t seed, std::int64_t position,
             const Shape& shape, std::span<float> picture) {
  POET_CHECK(shape.size() == 3);
  const CounterDraws draws{
      .seed = seed, .example = static_cast<std::uint64_t>(position), .stream = kStream};
  const std::int64_t most = augmentation.crop_pixels;
  const bool flips = augmentation.flips && draws.whole(kFlip, 2) == 1;
  const std::int64_t down = most == 0 ? 0 : draws.whole(kDown, 2 * most + 1) - most;
  const std::int64_t right = most == 0 ? 0 : draws.whole(kRight, 2 * most + 1) - most;
  const std::int64_t area = shape[1] * shape[2];
  for (std::int64_t c = 0; c < shape[0]; ++c) {
    const Plane plane{
        picture.subspan(static_cast<std::size_t>(c * area), static_cast<std::size_t>(area)),
        shape[1], shape[2]};
    if (down != 0 || right != 0) move(plane, down, right);
    for (std::int64_t y = 0; flips && y < plane.height; ++y)
      std::reverse(plane.row(y).begin(), plane.row(y).end());
  }
}

}  // namespace poet
