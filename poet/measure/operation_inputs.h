#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "poet/graph/operator_table.h"

namespace poet {

// Gives the inputs of an operation values as they might be in training, the same ones every time:
// numbers of either sign between a quarter and five quarters, positive ones where an operator takes
// roots or logarithms, labels and indices in their range, a step. None is denormal, and none makes
// a kernel read or write where it must not. `inputs` are as large as the types say, and aligned to
// their elements.
void fill_inputs(const OperationTypes& types, std::span<const std::span<std::byte>> inputs);

// The same as if the operator's row said `domain`.
void fill_inputs_from(const InputDomain& domain, const OperationTypes& types,
                      std::span<const std::span<std::byte>> inputs);

}  // namespace poet
