#include "poet/train/value_in_pieces.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

// A row of the whole has a little of each piece beside the others: pieces are read as they are, and
// kept for the rows that follow, but for no more than this, and no longer than to the end of the
// value. There are hundreds of values, and between two readings a step may come.
constexpr std::size_t kMostKeptBytes = 8 << 20;

class Pieces {
 public:
  explicit Pieces(std::vector<HeldPiece> pieces) : type_(pieces.front().piece.type) {
    pieces_.reserve(pieces.size());
    for (HeldPiece& one : pieces)
      pieces_.push_back({.values = std::move(one.piece.values),
                         .size_bytes = size_bytes(one.value.type),
                         .read = std::move(one.value.read),
                         .write = std::move(one.value.write)});
  }

  bool can_be_written() const {
    return std::all_of(pieces_.begin(), pieces_.end(),
                       [](const Piece& one) { return one.write != nullptr; });
  }

  Failure read(std::int64_t offset_bytes, std::span<std::byte> into) {
    if (offset_bytes != next_bytes_) forget();
    next_bytes_ = offset_bytes + static_cast<std::int64_t>(into.size());
    Failure failure = read_runs(offset_bytes, into);
    if (failure || next_bytes_ == size_bytes(type_)) forget();
    return failure;
  }

  Failure write(std::int64_t offset_bytes, std::span<const std::byte> from) {
    return each_run(offset_bytes, from.size(), [&](const Overlap& overlap) {
      return pieces_[overlap.piece].write(static_cast<std::int64_t>(overlap.in_piece),
                                          from.subspan(overlap.in_range, overlap.bytes));
    });
  }

 private:
  // Without names and types, which all have in common: there are thousands.
  struct Piece {
    std::vector<Range> values = {};  // of the whole
    std::int64_t size_bytes = 0;
    std::function<Failure(std::int64_t, std::span<std::byte>)> read = {};
    std::function<Failure(std::int64_t, std::span<const std::byte>)> write = {};
  };

  // Bytes that a piece and a range of the whole have in common.
  struct Overlap {
    std::size_t piece = 0;
    std::size_t in_range = 0;
    std::size_t in_piece = 0;
    std::size_t bytes = 0;
  };

  void forget() {
    kept_.clear();
    kept_bytes_ = 0;
    next_bytes_ = 0;
  }

  Failure read_runs(std::int64_t offset_bytes, std::span<std::byte> into) {
    return each_run(offset_bytes, into.size(), [&](const Overlap& overlap) -> Failure {
      const Result<std::vector<std::byte>*> values = values_of(overlap.piece);
      if (!values.ok()) return values.error();
      std::memcpy(into.data() + overlap.in_range, (*values)->data() + overlap.in_piece,
                  overlap.bytes);
      return std::nullopt;
    });
  }

  Failure each_run(std::int64_t offset_bytes, std::size_t count,
                   const std::function<Failure(const Overlap&)>& use) const {
    const std::int64_t end_bytes = offset_bytes + static_cast<std::int64_t>(count);
    Failure failed;
    for (std::size_t k = 0; k < pieces_.size() && !failed; ++k) {
      const Piece& piece = pieces_[k];
      if (!touches(piece, offset_bytes, end_bytes)) continue;
      const std::int64_t size = byte_size(type_.element);
      for_each_run(type_.shape, piece.values, [&](const RunOfValues& run) {
        const std::int64_t begin = std::max(run.in_whole * size, offset_bytes);
        const std::int64_t end = std::min((run.in_whole + run.count) * size, end_bytes);
        if (begin >= end || failed) return;
        failed = use({.piece = k,
                      .in_range = static_cast<std::size_t>(begin - offset_bytes),
                      .in_piece = static_cast<std::size_t>(run.in_piece * size + begin -
                                                           run.in_whole * size),
                      .bytes = static_cast<std::size_t>(end - begin)});
      });
    }
    return failed;
  }

  // By the outermost dimension alone.
  bool touches(const Piece& piece, std::int64_t begin_bytes, std::int64_t end_bytes) const {
    if (type_.shape.empty()) return true;
    const std::int64_t row_bytes = size_bytes(type_) / type_.shape[0];
    return piece.values[0].begin * row_bytes < end_bytes &&
           piece.values[0].end * row_bytes > begin_bytes;
  }

  Result<std::vector<std::byte>*> values_of(std::size_t piece) {
    for (Kept& kept : kept_)
      if (kept.piece == piece) return &kept.values;
    Kept kept{.piece = piece, .values = {}};
    kept.values.resize(static_cast<std::size_t>(pieces_[piece].size_bytes));
    if (Failure failure = pieces_[piece].read(0, kept.values)) return *failure;
    kept_bytes_ += kept.values.size();
    kept_.push_back(std::move(kept));
    while (kept_bytes_ > kMostKeptBytes && kept_.size() > 1) {
      kept_bytes_ -= kept_.front().values.size();
      kept_.pop_front();
    }
    return &kept_.back().values;
  }

  struct Kept {
    std::size_t piece = 0;
    std::vector<std::byte> values = {};
  };

  TensorType type_ = {};  // of the whole
  std::vector<Piece> pieces_ = {};
  std::list<Kept> kept_ = {};  // the oldest first
  std::size_t kept_bytes_ = 0;
  std::int64_t next_bytes_ = 0;
};

}  // namespace

HeldValue value_in_pieces(std::vector<HeldPiece> pieces) {
  POET_CHECK(!pieces.empty());
  HeldValue value{.name = pieces.front().piece.whole,
                  .type = pieces.front().piece.type,
                  .role = pieces.front().value.role};
  const auto all = std::make_shared<Pieces>(std::move(pieces));
  value.read = [all](std::int64_t offset_bytes, std::span<std::byte> into) {
    return all->read(offset_bytes, into);
  };
  if (all->can_be_written())
    value.write = [all](std::int64_t offset_bytes, std::span<const std::byte> from) {
      return all->write(offset_bytes, from);
    };
  return value;
}

}  // namespace poet
