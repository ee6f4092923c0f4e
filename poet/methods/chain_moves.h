#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/methods/chain_blocks.h"
#include "poet/methods/player.h"
#include "poet/overlap/moves.h"
#include "poet/problem/problem.h"

namespace poet {

// What publications on chains say a schedule is. State b is what block b begins with: state 0 the
// input of the chain, state b + 1 what block b hands on.
//
//   state 0 --[block 0]--> state 1 --[block 1]--> ... state L-1 --[block L-1]--> the loss
enum class ChainStep {
  Advance,  // executes block b: state b + 1 is there, nothing else of the block; state b is gone
            // unless it is a checkpoint
  Keep,     // state b is a checkpoint in RAM until its block is turned
  Write,    // state b is a checkpoint in storage
  Read,     // and comes back from there
  Turn,     // brings what backward operations read of block b, then executes those
  Record,   // as Advance, and what backward operations read of block b stays until its turn
  WriteRecord,  // which goes to storage,
  ReadRecord,   // and comes back from there
};

struct ChainMove {
  ChainStep step = ChainStep::Advance;
  std::int32_t state = 0;

  bool operator==(const ChainMove&) const = default;
};

// The first block of the chain: before it stand blocks of operations that may run only once; what
// they make is always kept, or written.
std::int32_t chain_origin(const Problem& problem, const ChainBlocks& blocks);

// The blocks of a chain, for methods that know nothing else. Unsupported where no tensor alone
// carries the forward pass on: then a chain method has nothing to choose from.
Result<ChainBlocks> chain_of(const Problem& problem);

// Blocks that the method may choose among.
inline std::int32_t chain_length(const Problem& problem, const ChainBlocks& blocks) {
  return static_cast<std::int32_t>(blocks.size()) - chain_origin(problem, blocks);
}

// For each backward operation, from `blocks.backward_begin` on, the block to whose turn it belongs:
// the earliest one whose insides, or whose state, it or an operation before it reads.
std::vector<std::int32_t> backward_turns(const Problem& problem, const ChainBlocks& blocks);

// What backward operations read of a block: what its operations make and hand to nobody else, and
// what takes room.
std::vector<TensorId> record_of(const Problem& problem, const ChainBlocks& blocks, std::int32_t b);

// State b's tensors; b counts all blocks here, also those before chain_origin().
const std::vector<TensorId>& state_of(const ChainBlocks& blocks, std::int32_t b);

// What the moves mean on the graph; states are counted from chain_origin(). The moves execute the
// blocks for the first time in their order. Should a backward operation need something of a block
// other than that of its turn, and it is gone, it is brought again. Nothing when that is
// impossible, as its maker may run only once.
std::optional<Moves> play_chain_moves(const Problem& problem, const ChainBlocks& blocks,
                                      const std::vector<ChainMove>& chain_moves,
                                      HomeReads home_reads);

}  // namespace poet
