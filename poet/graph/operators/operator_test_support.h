#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet::testing {

TensorType float32(Shape shape);
TensorType int64(Shape shape);
TensorType int32(Shape shape);
TensorType boolean(Shape shape);

// What the operator's shape rule says: the types of the outputs ("float32 (2, 3)", joined by a
// comma), or its refusal.
std::string outcome(const OperationTypes& types);
std::string outcome(Operator kind, Attributes attributes, std::vector<TensorType> inputs);

// With the outputs that the shape rule gives, which must not refuse.
OperationTypes with_outputs(OperationTypes types);
OperationTypes operation(Operator kind, Attributes attributes, std::vector<TensorType> inputs);

// Of an operation that its shape rule accepts.
std::int64_t flop(const OperationTypes& types);
std::int64_t moved_bytes(const OperationTypes& types);

// A part for each string: "mul_gradient(dy, x1) by 0", dy being the output's gradient, x1 the
// second input, y the output and y1 the second output. Attributes are left out.
std::vector<std::string> gradient_texts(const OperationTypes& types);

// The operations of which the gradient consists, ready for their rows' FLOP and kernels.
std::vector<OperationTypes> gradient_operations(const OperationTypes& types);
OperationTypes gradient_types(const OperationTypes& types, std::size_t part);

// "function(0, 1, null -> 0) field=1 array=2,3,1.." where ".." says that the last value is repeated
// to the end of the array. Whole for types with outputs.
std::string call_text(const OperationTypes& types);

}  // namespace poet::testing
