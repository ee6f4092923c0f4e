#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "poet/graph/tensor_piece.h"
#include "poet/lower/runnable_step.h"

namespace poet {

// At how many places of a store writes of these steps begin, at the most; `pieces` are those of
// each step's graph, and values that outlive a step also come in pieces of `piece_bytes`
// (HeldValue). What was written and is not overwritten begins at different places, so this is how
// many checksums there can be at a time.
std::int64_t count_write_places(const std::vector<RunnableStep>& steps,
                                const std::vector<std::map<TensorId, TensorPiece>>& pieces,
                                std::int64_t piece_bytes);

}  // namespace poet
