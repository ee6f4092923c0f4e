#pragma once

#include <vector>

#include "poet/graph/tensor_piece.h"
#include "poet/train/held_values.h"

namespace poet {

struct HeldPiece {
  TensorPiece piece = {};
  HeldValue value = {};
};

// The value that these are the pieces of: together they hold each of its numbers, and some perhaps
// more than once, with the same contents. It can be written where they can.
HeldValue value_in_pieces(std::vector<HeldPiece> pieces);

}  // namespace poet
