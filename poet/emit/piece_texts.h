#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/emit/step_tables.h"
#include "poet/graph/tensor_piece.h"
#include "poet/runtime/pieces.h"

namespace poet {

// Pieces of values, for poet/runtime/pieces.h.

// The fields of a poet_piece.
std::string piece_fields(const TensorPiece& piece);

// A piece of a whole, or all of it, where it is at home.
struct HomePiece {
  std::vector<Range> values = {};  // of each dimension
  poet_home_space space = POET_HOME_STORAGE;
  std::int64_t place = 0;
};

// Adds a whole to what poet_whole_begin() reads. Together the pieces, in order of their first
// values, hold all of it.
void add_whole(const TensorType& whole, const std::vector<HomePiece>& pieces, StepCodes& codes);

}  // namespace poet
