#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/methods/chain_blocks.h"
#include "poet/methods/player.h"
#include "poet/overlap/moves.h"
#include "poet/problem/problem.h"

namespace poet {

// Checkpointing as Chen et al. do it: the forward pass keeps the borders of some blocks and forgets
// what lies between; the backward pass executes a forgotten segment again as a whole, from its
// checkpoint on, when it first needs something of it. `kept[b]`: the border of block b is a
// checkpoint. What lies behind the last checkpoint is not forgotten. Nothing when an operation that
// must run only once would have to run again.
std::optional<Moves> play_segments(const Problem& problem, const ChainBlocks& blocks,
                                   const std::vector<bool>& kept, HomeReads home_reads);

}  // namespace poet
