#pragma once

#include "poet/cost/cost_table.h"
#include "poet/graph/outline.h"
#include "poet/problem/problem.h"

namespace poet {

// The operations and tensors of an outline at their costs, without budgets.
Problem outline_problem(const Outline& graph, const CostTable& costs);

}  // namespace poet
