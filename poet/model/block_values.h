#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "poet/graph/weight_blocks.h"

namespace poet {

// What goes into blocks, and what is in them (docs/formats/quantised.md). What a training reads is
// decoded by poet/runtime/weight_blocks.h; values here are the same.

// Up to blocks.values floats, as near as blocks come to them: `into` has block_bytes(). Whether
// there is such a block: none for values that are not finite, or so large that no float16 is their
// scale.
//
// 8 bits: the scale is the largest magnitude / 127, rounded to a float16, and each value the
// nearest number of scales. 4 bits: of two scales, the extreme value / -8 with numbers from -8 to
// 7, and the largest magnitude / 7 with numbers from -7 to 7, the one with the smaller sum of
// squared errors; where they are the same, the first.
bool encode_block(const WeightBlocks& blocks, std::span<const float> values,
                  std::span<std::byte> into);

// Value `element` of rows of `row_values` each.
float decoded_value(const WeightBlocks& blocks, std::int64_t row_values,
                    std::span<const std::byte> bytes, std::int64_t element);

// The first block whose scale is no finite number; `bytes` are blocks from end to end.
std::optional<std::int64_t> block_without_scale(const WeightBlocks& blocks,
                                                std::span<const std::byte> bytes);

}  // namespace poet
