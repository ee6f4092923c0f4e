#pragma once

#include "poet/autodiff/training_graph.h"
#include "poet/cost/cost_table.h"
#include "poet/problem/problem.h"

namespace poet {

// A training step at its costs, without budgets. Tensor i and operation v are those of the step's
// graph. An operation that may work in place of several inputs does so for one that dies with it,
// if there is one. What fills the place of an old value is marked as once.
Problem training_problem(const TrainingGraph& step, const CostTable& costs);

}  // namespace poet
