#pragma once

#include <cstddef>
#include <optional>

#include "poet/base/ids.h"
#include "poet/graph/tensor_piece.h"

namespace poet {

// Where a part of the examples goes.
struct PartPlace {
  TensorId tensor{};
  std::size_t part = 0;                   // of the dataset
  std::optional<TensorPiece> piece = {};  // of the batch's part, where that is not all
};

}  // namespace poet
