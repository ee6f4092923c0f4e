#pragma once

#include <vector>

#include "poet/graph/tensor_piece.h"
#include "poet/graph/tensor_type.h"
#include "poet/model/initial.h"

namespace poet {

// The values that a piece of a tensor begins with.
Initial initial_of_piece(const Initial& whole, const TensorType& type,
                         const std::vector<Range>& piece);

}  // namespace poet
