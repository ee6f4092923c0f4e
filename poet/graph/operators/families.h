#pragma once

#include <vector>

#include "poet/graph/operator_table.h"

namespace poet {

// The rows of the operator table, one function and file per family (poet/graph/operator.h).
std::vector<OperatorEntry> unary_operators();

}  // namespace poet
