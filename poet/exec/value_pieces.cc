#include "poet/exec/value_pieces.h"

#include <algorithm>

#include "poet/exec/arena.h"

namespace poet {
namespace {

// Of a page, so that direct I/O takes a piece as it lies.
constexpr std::int64_t kPieceAlignmentBytes = 4096;

}  // namespace

Failure for_each_piece(const Initial& initial, const TensorType& type, const PieceSink& take) {
  const std::int64_t total_bytes = size_bytes(type);
  const Result<Arena> piece =
      Arena::create(std::min(total_bytes, kPieceBytes), kPieceAlignmentBytes);
  if (!piece.ok()) return piece.error();
  for (std::int64_t offset = 0; offset < total_bytes; offset += kPieceBytes) {
    const std::int64_t count_bytes = std::min(kPieceBytes, total_bytes - offset);
    const std::span<std::byte> values = piece->bytes().first(static_cast<std::size_t>(count_bytes));
    write_initial(initial, type, offset, values);
    if (Failure failure = take(offset, values)) return failure;
  }
  return std::nullopt;
}

}  // namespace poet
