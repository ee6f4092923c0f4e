#pragma once

#include <cstdint>
#include <vector>

namespace poet {

// Bytes taken over a time [lower, upper).
struct PackPiece {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t size = 0;

  bool operator==(const PackPiece&) const = default;
};

// What gets one offset: pieces one after the other in time, without a gap, that all begin at that
// offset. One piece is a rectangle; several are a buffer whose bytes are taken over in place by
// smaller ones.
//
//      +-----+
//      |     +---+
//      |     |   |
//      +-----+---+
struct PackBlock {
  std::vector<PackPiece> pieces = {};

  bool operator==(const PackBlock&) const = default;
};

// An answer: an offset for each block, and the highest end of any.
struct Packing {
  std::vector<std::int64_t> offsets = {};
  std::int64_t height = 0;

  bool operator==(const Packing&) const = default;
};

}  // namespace poet
