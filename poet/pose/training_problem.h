#pragma once

#include <cstdint>

#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/kernels/kernel_set.h"
#include "poet/problem/problem.h"

namespace poet {

// The problem of a training step: graph_problem() of its graph, and what a graph does not say:
// parameters that are not counted have no bytes, those whose place is chosen, and their states, may
// be resident, and the gradients that fill accumulators in the first micro-batch replace them.
// Sizes are rounded up to multiples of `alignment_bytes`, a power of two; workspaces are what these
// kernels need. Refuses what graph_problem() refuses.
Result<Problem> training_problem(const TrainingGraph& step, const Device& device,
                                 double memory_power_scale, std::int64_t alignment_bytes = 1,
                                 const KernelSet& kernels = plain_kernels());

// The same at these costs, which are of the step's graph.
Problem training_problem(const TrainingGraph& step, const CostTable& costs, const Device& device,
                         double memory_power_scale, std::int64_t alignment_bytes = 1,
                         const KernelSet& kernels = plain_kernels());

}  // namespace poet
