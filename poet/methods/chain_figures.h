#pragma once

#include <cstdint>
#include <vector>

#include "poet/methods/chain_moves.h"
#include "poet/problem/problem.h"

namespace poet {

// What publications on chains of unequal blocks know of a block: seconds, and the bytes that its
// moves hold at most.
struct BlockFigures {
  double advance_s = 0;  // every operation of the block once
  double again_s = 0;    // those that make its record
  double backward_s = 0;
  std::int64_t state_bytes = 0;   // of the state that it begins with
  std::int64_t record_bytes = 0;  // what backward operations read of it, but for the next state
  // The next state and what the record is made of, if any, counted:
  std::int64_t advance_peak_bytes = 0;  // beside its own state, which stays
  std::int64_t passing_peak_bytes = 0;  // with its own state, which leaves
  std::int64_t record_peak_bytes = 0;   // beside its own state
  std::int64_t turn_peak_bytes = 0;     // of its backward operations, beside its own state
  std::int64_t gradient_bytes = 0;      // made by backward operations, there when its turn begins
};

// Per block from chain_origin() on. Tensors at home in storage count where an operation uses them.
std::vector<BlockFigures> chain_figures(const Problem& problem, const ChainBlocks& blocks);

}  // namespace poet
