#include "poet/train/held_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"

namespace poet {

Failure for_each_piece(const HeldValue& value, std::span<std::byte> buffer,
                       const std::function<Failure(std::span<const std::byte>)>& use) {
  POET_CHECK(!buffer.empty());
  const std::int64_t bytes = size_bytes(value.type);
  for (std::int64_t offset = 0; offset < bytes;) {
    const auto piece = std::min(static_cast<std::int64_t>(buffer.size()), bytes - offset);
    const std::span<std::byte> part = buffer.first(static_cast<std::size_t>(piece));
    if (Failure failure = value.read(offset, part)) return failure;
    if (Failure failure = use(part)) return failure;
    offset += piece;
  }
  return std::nullopt;
}

Result<std::optional<std::string>> first_not_finite(const std::vector<HeldValue>& values,
                                                    std::span<std::byte> buffer) {
  std::optional<std::string> found;
  for (const HeldValue& value : values) {
    if (value.type.element != ElementType::Float32) continue;
    const auto look = [&found, &value](std::span<const std::byte> piece) {
      for (std::size_t at = 0; !found && at + sizeof(float) <= piece.size(); at += sizeof(float)) {
        float number = 0;
        std::memcpy(&number, piece.data() + at, sizeof number);
        if (!std::isfinite(number)) found = fmt::format("{} ({})", in_quotes(value.name), number);
      }
      return Failure();
    };
    if (Failure failure = for_each_piece(value, buffer, look)) return *failure;
    if (found) return found;
  }
  return found;
}

Result<std::string> parameters_sha256(const std::vector<HeldValue>& values,
                                      std::span<std::byte> buffer) {
  std::vector<const HeldValue*> parameters;
  for (const HeldValue& value : values)
    if (value.role == TensorRole::Parameter) parameters.push_back(&value);
  std::sort(parameters.begin(), parameters.end(),
            [](const HeldValue* a, const HeldValue* b) { return a->name < b->name; });
  Sha256 hash;
  for (const HeldValue* const parameter : parameters)
    if (Failure failure =
            for_each_piece(*parameter, buffer, [&hash](std::span<const std::byte> piece) {
              hash.add(piece);
              return Failure();
            }))
      return *failure;
  return hash.digest();
}

namespace {

class Pieces {
 public:
  explicit Pieces(std::vector<HeldPiece> pieces) : type_(pieces.front().piece.type) {
    pieces_.reserve(pieces.size());
    for (HeldPiece& one : pieces)
      pieces_.push_back({.values = std::move(one.piece.values),
                         .read = std::move(one.value.read),
                         .write = std::move(one.value.write)});
  }

  bool can_be_written() const {
    return std::all_of(pieces_.begin(), pieces_.end(),
                       [](const Piece& one) { return one.write != nullptr; });
  }

  // Of each piece that has some of it, one stretch: what follows in the whole follows in the piece.
  // So a stretch is no longer than what is asked for, and a piece may be of any size: that of a
  // table whose rows are looked up in storage is half of it.
  Failure read(std::int64_t offset_bytes, std::span<std::byte> into) {
    std::vector<std::byte> stretch;
    for (const Piece& piece : pieces_) {
      if (!touches(piece, offset_bytes, offset_bytes + std::ssize(into))) continue;
      if (Failure failure = read_piece(piece, offset_bytes, into, stretch)) return failure;
    }
    return std::nullopt;
  }

  // The runs that a range of the whole has of a piece follow each other there, and are written
  // together: a store has one checksum of them, and one transfer.
  Failure write(std::int64_t offset_bytes, std::span<const std::byte> from) {
    std::vector<std::byte> stretch;
    for (const Piece& piece : pieces_) {
      if (!touches(piece, offset_bytes, offset_bytes + std::ssize(from))) continue;
      if (Failure failure = write_piece(piece, offset_bytes, from, stretch)) return failure;
    }
    return std::nullopt;
  }

 private:
  // Without names and types, which all have in common: there are thousands.
  struct Piece {
    std::vector<Range> values = {};  // of the whole
    std::function<Failure(std::int64_t, std::span<std::byte>)> read = {};
    std::function<Failure(std::int64_t, std::span<const std::byte>)> write = {};
  };

  // Bytes that a piece and a range of the whole have in common.
  struct Overlap {
    std::size_t in_range = 0;
    std::int64_t in_piece = 0;
    std::size_t bytes = 0;
  };

  // A piece from one of its rows on.
  struct Rows {
    std::vector<Range> values = {};
    std::int64_t skipped = 0;  // values of the piece before them
  };

  Failure read_piece(const Piece& piece, std::int64_t offset_bytes, std::span<std::byte> into,
                     std::vector<std::byte>& stretch) const {
    std::optional<std::int64_t> begin;
    std::int64_t end = 0;
    each_run(piece, offset_bytes, into.size(), [&](const Overlap& overlap) {
      if (!begin) begin = overlap.in_piece;
      end = overlap.in_piece + static_cast<std::int64_t>(overlap.bytes);
    });
    if (!begin) return std::nullopt;
    stretch.resize(static_cast<std::size_t>(end - *begin));
    if (Failure failure = piece.read(*begin, stretch)) return failure;
    each_run(piece, offset_bytes, into.size(), [&](const Overlap& overlap) {
      std::memcpy(into.data() + overlap.in_range, stretch.data() + (overlap.in_piece - *begin),
                  overlap.bytes);
    });
    return std::nullopt;
  }

  Failure write_piece(const Piece& piece, std::int64_t offset_bytes,
                      std::span<const std::byte> from, std::vector<std::byte>& stretch) const {
    std::optional<std::int64_t> begin;
    stretch.clear();
    each_run(piece, offset_bytes, from.size(), [&](const Overlap& overlap) {
      if (!begin) begin = overlap.in_piece;
      POET_CHECK(overlap.in_piece == *begin + std::ssize(stretch));
      const std::span<const std::byte> run = from.subspan(overlap.in_range, overlap.bytes);
      stretch.insert(stretch.end(), run.begin(), run.end());
    });
    return begin ? piece.write(*begin, stretch) : std::nullopt;
  }

  // In order.
  void each_run(const Piece& piece, std::int64_t offset_bytes, std::size_t count,
                const std::function<void(const Overlap&)>& use) const {
    const std::int64_t end_bytes = offset_bytes + static_cast<std::int64_t>(count);
    const std::int64_t size = byte_size(type_.element);
    const Rows within = rows_within(piece, offset_bytes, end_bytes);
    for_each_run(type_.shape, within.values, [&](const RunOfValues& run) {
      const std::int64_t begin = std::max(run.in_whole * size, offset_bytes);
      const std::int64_t end = std::min((run.in_whole + run.count) * size, end_bytes);
      if (begin >= end) return;
      use({.in_range = static_cast<std::size_t>(begin - offset_bytes),
           .in_piece = (within.skipped + run.in_piece - run.in_whole) * size + begin,
           .bytes = static_cast<std::size_t>(end - begin)});
    });
  }

  // The piece without the rows of the whole's outermost dimension that lie before or behind these
  // bytes: a table has tens of thousands.
  Rows rows_within(const Piece& piece, std::int64_t begin_bytes, std::int64_t end_bytes) const {
    Rows within{.values = piece.values};
    std::vector<Range>& rows = within.values;
    if (rows.empty()) return within;
    const std::int64_t row_bytes = size_bytes(type_) / type_.shape[0];
    rows[0].begin = std::max(rows[0].begin, begin_bytes / row_bytes);
    rows[0].end = std::min(rows[0].end, (end_bytes + row_bytes - 1) / row_bytes);
    within.skipped = rows[0].begin - piece.values[0].begin;
    for (std::size_t d = 1; d < rows.size(); ++d) within.skipped *= rows[d].extent();
    return within;
  }

  // By the outermost dimension alone.
  bool touches(const Piece& piece, std::int64_t begin_bytes, std::int64_t end_bytes) const {
    if (type_.shape.empty()) return true;
    const std::int64_t row_bytes = size_bytes(type_) / type_.shape[0];
    return piece.values[0].begin * row_bytes < end_bytes &&
           piece.values[0].end * row_bytes > begin_bytes;
  }

  TensorType type_ = {};  // of the whole
  std::vector<Piece> pieces_ = {};
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
