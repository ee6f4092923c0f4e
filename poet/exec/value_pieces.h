#pragma once

#include <cstdint>

#include "poet/base/result.h"
#include "poet/graph/tensor_type.h"
#include "poet/model/initial.h"

namespace poet {

// Gives `take` the initial values of a tensor piece by piece, in order, each of kPieceBytes but for
// the last, and stops at its first failure. No more than one piece is in memory.
inline constexpr std::int64_t kPieceBytes = 1 << 20;
Failure for_each_piece(const Initial& initial, const TensorType& type, const PieceSink& take);

}  // namespace poet
