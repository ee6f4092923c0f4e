#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/solve/solver.h"

namespace poet {

// What compilers do: a cut of least size through the forward pass says what it saves for the
// backward pass, which makes the rest again (He and Yu, "Transcending Runtime-Memory Tradeoffs in
// Checkpointing by being Fusion Aware", MLSys 2023; the partitioner of PyTorch's AOTAutograd).
//
// There, what is cheap may be made again: operations bound by bandwidth. Where RAM is still too
// short, a knapsack chooses which of the costly values to save as well and which to make again, and
// the cut is taken once more. Here "cheap" is little time per byte touched; several limits of
// cheapness and several sizes of the knapsack are tried, and the best that fits is taken. Their
// weights for fusion are left out: nothing is fused.
std::unique_ptr<Solver> make_min_cut();

// The tensors that the cut saves when the marked forward operations may be executed again.
// Operations from `backward_begin` on are the backward pass.
std::vector<TensorId> saved_by_cut(const Problem& problem, OperationId backward_begin,
                                   const std::vector<bool>& may_run_again);

// Which items to take for the most value within a total weight, counted in at most 10,000 units as
// PyTorch does (weights are rounded up, so the total is kept).
std::vector<bool> best_knapsack(const std::vector<std::int64_t>& weights,
                                const std::vector<double>& values, std::int64_t most);

}  // namespace poet
