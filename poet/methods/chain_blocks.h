#pragma once

#include <optional>
#include <vector>

#include "poet/base/result.h"
#include "poet/problem/problem.h"

namespace poet {

// The forward pass as a chain of blocks: what methods for chains see of a graph. A block is a run
// of forward operations; block b hands block b + 1 the tensors of `border[b]`, and its insides are
// read by itself and by the backward pass.
struct ChainBlocks {
  std::vector<std::vector<OperationId>> forward = {};  // consecutive operations
  // Made by the block or an earlier one, and read by later forward blocks. One tensor at an
  // articulation point; several where the graph was cut without one. Empty for the last block.
  std::vector<std::vector<TensorId>> border = {};
  // Operations from here on are the backward pass, the loss's gradient first.
  OperationId backward_begin = {};

  std::size_t size() const { return forward.size(); }
};

// Cut after every forward operation: the linearised graph of Checkmate's section 6 (Jain et al.,
// MLSys 2020). Unsupported where no operation is marked as backward, or none is forward.
Result<ChainBlocks> linearised_blocks(const Problem& problem);

// Cut where only one tensor crosses: the articulation points of the forward graph (Chen et al.
// 2016; Jain et al. 2020).
Result<ChainBlocks> articulation_blocks(const Problem& problem);

// For each root the last forward operation that reads it, or else that makes it; none for those
// that the forward pass does not touch.
std::vector<std::optional<OperationId>> last_forward_uses(const Problem& problem,
                                                          OperationId backward_begin);

}  // namespace poet
