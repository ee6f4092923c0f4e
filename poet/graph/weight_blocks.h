#pragma once

#include <cstdint>

#include "poet/graph/tensor_type.h"

namespace poet {

// How weights lie in blocks of few bits (docs/formats/quantised.md). A row's values come in blocks
// of so many, the last of which may be short; a block is a scale, a float16, and whole numbers of
// 8 or 4 bits, and its values are scale times number. float32 holds each of them exactly.
struct WeightBlocks {
  std::int64_t bits = 8;     // 8 or 4
  std::int64_t values = 32;  // in a block: a power of two

  bool operator==(const WeightBlocks&) const = default;
};

inline constexpr std::int64_t kScaleBytes = 2;
inline constexpr std::int64_t kLeastInBlock = 8;
inline constexpr std::int64_t kMostInBlock = 1024;

constexpr bool are_known(const WeightBlocks& blocks) {
  const bool is_power = blocks.values > 0 && (blocks.values & (blocks.values - 1)) == 0;
  return (blocks.bits == 8 || blocks.bits == 4) && is_power && blocks.values >= kLeastInBlock &&
         blocks.values <= kMostInBlock;
}

// Of blocks that are known.
constexpr std::int64_t block_bytes(const WeightBlocks& blocks) {
  return kScaleBytes + blocks.values * blocks.bits / 8;
}
constexpr std::int64_t blocks_in_row(const WeightBlocks& blocks, std::int64_t row_values) {
  return (row_values - 1) / blocks.values + 1;
}

// Of the bytes of a tensor of `shape`: (rows, blocks of a row, bytes of a block), uint8.
inline TensorType packed_type(const WeightBlocks& blocks, const Shape& shape) {
  const std::int64_t row_values = value_count({shape.begin() + 1, shape.end()});
  return {ElementType::Uint8,
          {shape.front(), blocks_in_row(blocks, row_values), block_bytes(blocks)}};
}

}  // namespace poet
