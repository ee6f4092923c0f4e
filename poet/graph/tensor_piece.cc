#include "poet/graph/tensor_piece.h"

#include "poet/base/check.h"

namespace poet {

void for_each_run(const Shape& whole, const std::vector<Range>& piece,
                  const std::function<void(const RunOfValues&)>& visit) {
  POET_CHECK(whole.size() == piece.size());
  // The last dimensions of which the piece has all values are one run with the one before them.
  std::size_t outside = piece.size();
  std::int64_t count = 1;
  while (outside > 0) {
    --outside;
    count *= piece[outside].extent();
    if (piece[outside].extent() != whole[outside]) break;
  }
  std::vector<std::int64_t> place(piece.size());
  for (std::size_t d = 0; d < piece.size(); ++d) place[d] = piece[d].begin;
  for (std::int64_t in_piece = 0;; in_piece += count) {
    std::int64_t in_whole = 0;
    for (std::size_t d = 0; d < whole.size(); ++d) in_whole = in_whole * whole[d] + place[d];
    visit({in_whole, in_piece, count});
    std::size_t d = outside;
    while (d > 0 && ++place[d - 1] == piece[d - 1].end) {
      place[d - 1] = piece[d - 1].begin;
      --d;
    }
    if (d == 0) return;
  }
}

}  // namespace poet
