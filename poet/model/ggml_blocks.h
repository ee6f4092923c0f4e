#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "poet/graph/weight_blocks.h"
#include "poet/model/safetensors.h"

namespace poet {

// A type of tensors in GGUF files: how many values lie in how many bytes.
struct GgmlType {
  std::uint32_t id = 0;
  std::string_view name = {};
  std::int64_t values = 1;
  std::int64_t bytes = 1;
  SafeType plain = SafeType::Float32;       // where a block is one value
  std::optional<WeightBlocks> blocks = {};  // where blocks are as POET has them
  // Otherwise: value k of a block, whose products are exact and whose sum is rounded once,
  float (*value)(const std::byte* block, std::int64_t k) = nullptr;
  // and where the scales of a block are, float16.
  std::span<const std::int64_t> scales = {};
};

// Nothing where POET does not read the type.
const GgmlType* find_ggml_type(std::uint32_t id);

}  // namespace poet
