#pragma once

#include <cstddef>
#include <set>

#include "poet/autodiff/training_graph.h"

namespace poet {

// Takes tensors that nothing of the step names any more out of its graph: the others move up, and
// every id in the step with them.
void erase_tensors(TrainingGraph& step, const std::set<TensorId>& removed);

// Takes operations out, by their places in the graph.
void erase_operations(Graph& graph, const std::set<std::size_t>& removed);

}  // namespace poet
