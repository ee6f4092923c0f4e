#pragma once

#include <memory>
#include <vector>

#include "poet/methods/chain_moves.h"
#include "poet/solve/solver.h"

namespace poet {

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
