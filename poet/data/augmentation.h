#pragma once

#include <cstdint>
#include <span>

#include "poet/graph/shape.h"

namespace poet {

// How pictures are changed while they are learnt from, anew each time they come.
struct Augmentation {
  bool flips = false;            // left and right, one time in two
  std::int64_t crop_pixels = 0;  // moves it by up to so many pixels, each way

  bool operator==(const Augmentation&) const = default;
  bool changes() const { return flips || crop_pixels > 0; }
};

// Changes a picture (C, H, W) in its place. What happens is a function of the seed and of the
// position that the picture has in the endless row of examples, so that a training that is resumed,
// and one that is split in another way, sees the same. What a move leaves empty is 0.
void augment(const Augmentation& augmentation, std::uint64_t seed, std::int64_t position,
             const Shape& shape, std::span<float> picture);

}  // namespace poet
