#pragma once

#include <vector>

#include "poet/graph/operator_table.h"

namespace poet::testing {

// One small operation of every operator that is not a gradient, in the order of the table, without
// outputs; more than one where that takes another gradient. Every gradient operator is part of the
// gradient of one of them.
std::vector<OperationTypes> operator_samples();

}  // namespace poet::testing
