#pragma once

#include <string>

#include "poet/graph/operator_table.h"

namespace poet {

// What an operation is, apart from where it stands: its operator, its attributes and the types of
// what it reads and makes, as one line of text. Equal work has equal keys, in any network:
//
//   relu (float32 (8, 16)) -> (float32 (8, 16))
//   conv kernel=[3, 3] stride=[1, 1] ... (float32 (1, 3, 32, 32), ...) -> (float32 (1, 16, 32, 32))
//
// Numbers are the shortest digits that read back to the same number. Left out is what makes no
// difference to the work: which random bits a dropout draws.
std::string operation_key(const OperationTypes& types);

// The same of what examples bring to an input: its type, "float32 (8, 3, 32, 32)".
std::string example_key(const TensorType& type);

}  // namespace poet
