#include "poet/model/initial_pieces.h"

#include <algorithm>

namespace poet {

Failure for_each_piece(const Initial& initial, const TensorType& type, std::span<std::byte> buffer,
                       const PieceSink& take) {
  const std::int64_t total_bytes = size_bytes(type);
  const auto piece_bytes = static_cast<std::int64_t>(buffer.size());
  for (std::int64_t offset = 0; offset < total_bytes; offset += piece_bytes) {
    const std::int64_t count_bytes = std::min(piece_bytes, total_bytes - offset);
    const std::span<std::byte> values = buffer.first(static_cast<std::size_t>(count_bytes));
    write_initial(initial, type, offset, values);
    if (Failure failure = take(offset, values)) return failure;
  }
  return std::nullopt;
}

}  // namespace poet
