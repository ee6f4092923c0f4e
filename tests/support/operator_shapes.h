#pragma once

#include <string>
#include <vector>

#include "poet/graph/operator_table.h"

namespace poet::testing {

// Operations to execute with different kernels: all of operator_cases() with their gradients, and
// of convolutions, products, norms and others the shapes where fast kernels take different ways:
// strides, padding, dilation, groups, odd extents, turned and repeated operands, more rows than one
// thread takes.
const std::vector<OperationTypes>& operation_shapes();

// In one line.
std::string as_text(const OperationTypes& types);

}  // namespace poet::testing
