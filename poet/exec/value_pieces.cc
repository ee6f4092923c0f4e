#include "poet/exec/value_pieces.h"

#include <algorithm>

#include "poet/exec/arena.h"

namespace poet {
namespace {

// Of a page, so that direct I/O takes a piece as it lies.
constexpr std::int64_t kPieceAlignmentBytes = 4096;

}  // namespace

Failure for_each_piece(const Initial& initial, const TensorType& type, const PieceSink& take) {
  const Result<Arena> piece =
      Arena::create(std::min(size_bytes(type), kPieceBytes), kPieceAlignmentBytes);
  if (!piece.ok()) return piece.error();
  return for_each_piece(initial, type, piece->bytes(), take);
}

}  // namespace poet
