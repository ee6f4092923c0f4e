#pragma once

#include <optional>
#include <vector>

#include "poet/autodiff/step_builder.h"
#include "poet/base/result.h"

namespace poet {

// For each tensor whether it is trained, or made of such a tensor by an operator that has a
// gradient by it.
std::vector<bool> depends_on_trained(const Graph& graph, const std::vector<bool>& trained);

// Reverse mode (S. Linnainmaa, BIT 16, 1976) over the operations of a step, of which the caller
// walks from the last to the first.
struct Adjoints {
  std::vector<bool> wanted = {};                 // depends_on_trained()
  std::vector<std::optional<TensorId>> of = {};  // of each forward tensor, summed so far
};

// Adds the gradient parts of an operation of which the outputs have their whole gradients, as far
// as they lead to wanted tensors, and adds what comes out to the gradients of its inputs: as soon
// as there are two, they are summed. A gradient that is equal to the one it comes of is that
// tensor.
Failure add_gradient_of(StepBuilder& builder, Adjoints& adjoints, OperationId operation);

}  // namespace poet
