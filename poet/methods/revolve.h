#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "poet/methods/chain_moves.h"
#include "poet/solve/solver.h"

namespace poet {

// The arithmetic of binomial checkpointing: Griewank, "Achieving logarithmic growth of temporal and
// spatial complexity in reverse automatic differentiation", Optimization Methods and Software 1(1),
// 1992; Griewank and Walther, ACM TOMS 26(1), 2000, section 2. A chain of l steps is turned around
// with c checkpoints; the state it begins with takes one of them.

// beta(c, r) = C(c + r, c): the longest chain that needs no step more than r times. At most `most`
// is counted, so that nothing overflows; 0 for r < 0.
std::int64_t binomial_reach(std::int64_t checkpoints, std::int64_t repetitions, std::int64_t most);

// t(l, c) = r l - beta(c + 1, r - 1), with beta(c, r - 1) < l <= beta(c, r): how often a step is
// advanced over without its adjoint, at the least. The steps right before their own adjoint do not
// count.
std::int64_t least_advances(std::int64_t steps, std::int64_t checkpoints);

// How far to advance before the next checkpoint, when the chain begins at one: the m that makes
// m + t(l - m, c - 1) + t(m, c) least, the largest of several. For l >= 2; l - 1 (no other
// checkpoint) where c is 1.
std::int64_t binomial_split(std::int64_t steps, std::int64_t checkpoints);

// Binomial checkpointing: Griewank and Walther, "Algorithm 799: Revolve", ACM TOMS 26(1), 2000.
// Exact for chains of equal steps.

// Turns a chain of `steps` blocks around with so many checkpoints, state 0 being one of them:
// least_advances(steps, checkpoints) advances, which no schedule undercuts.
std::vector<ChainMove> revolve_moves(std::int32_t steps, std::int32_t checkpoints);

// Numbers of checkpoints worth trying for a chain: all the small ones, then ever fewer.
std::vector<std::int32_t> checkpoint_counts(std::int32_t steps);

// On the blocks of the graph, as if they were equal; with the number of checkpoints that turns out
// best when replayed. Longer chains with few checkpoints are not tried beyond two million advances.
std::unique_ptr<Solver> make_revolve();

}  // namespace poet
