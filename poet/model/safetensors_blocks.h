#pragma once

#include <map>
#include <string>

#include "poet/base/result.h"
#include "poet/graph/shape.h"
#include "poet/graph/weight_blocks.h"
#include "poet/model/safetensors.h"

namespace poet {

// Where a safetensors file says which of its tensors are blocks of few bits: a text of its
// __metadata__, which is JSON (docs/formats/quantised.md).
inline constexpr const char* kBlocksKey = "poet.blocks";

struct BlocksOf {
  WeightBlocks blocks = {};
  Shape shape = {};  // of what is decoded

  bool operator==(const BlocksOf&) const = default;
};
std::string blocks_text(const std::map<std::string, BlocksOf>& tensors);

// Takes these tensors for what they hold. Refuses what is not as the format has it: tensors that
// are not there, of other types or shapes than their blocks take.
Failure take_blocks(const std::string& path, SafeTensors& file);

}  // namespace poet
