#pragma once

#include <cstdint>

#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/graph/graph.h"
#include "poet/graph/outline.h"
#include "poet/kernels/kernel_set.h"
#include "poet/problem/problem.h"

namespace poet {

// A training step as the planner sees it: one operation and tensor of the problem for each of the
// graph, at the costs that formula_costs() gives them, without budgets. Inputs that repeat are read
// once; views stand for their roots; an operation shares a buffer, replaces values and is executed
// once as its row of the operator table says. A lookup of rows in a table that lies in storage
// (Gather along the first axis) reads those rows itself: the table is no input of it, and its cost
// grows by reading them. It is executed once where the step updates the table: afterwards storage
// has other rows. So does a RowUpdate of a table that only such lookups read: it reads and writes
// as many rows as there are indices, where they lie, and the new value is a tensor without bytes.
// Sizes are rounded up to multiples of `alignment_bytes`, a power of two, for a problem that is
// going to be run; workspaces are what these kernels need. Refuses what formula_costs() refuses.
Result<Problem> graph_problem(const Graph& graph, const Device& device, double memory_power_scale,
                              std::int64_t alignment_bytes = 1,
                              const KernelSet& kernels = plain_kernels());

// The same at these costs, which are of this graph: the device gives those of reading single rows.
Problem graph_problem(const Graph& graph, const CostTable& costs, const Device& device,
                      double memory_power_scale, std::int64_t alignment_bytes = 1,
                      const KernelSet& kernels = plain_kernels());

// The operations and tensors of an outline at their costs, without budgets.
Problem outline_problem(const Outline& graph, const CostTable& costs);

}  // namespace poet
