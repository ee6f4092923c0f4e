#include "poet/train/held_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

namespace poet {
namespace {

using Bytes = std::vector<std::byte>;

// A piece that lies in memory.
HeldPiece piece_in(const std::shared_ptr<Bytes>& memory, const Shape& whole,
                   const std::vector<Range>& values) {
  Shape extents;
  for (const Range& range : values) extents.push_back(range.extent());
  const TensorType type{ElementType::Float32, extents};
  memory->resize(static_cast<std::size_t>(size_bytes(type)));
  HeldPiece piece{.piece = {"w", {ElementType::Float32, whole}, values},
                  .value = {.name = "w[...]", .type = type}};
  piece.value.read = [memory](std::int64_t offset, std::span<std::byte> into) -> Failure {
    std::memcpy(into.data(), memory->data() + offset, into.size());
    return std::nullopt;
  };
  piece.value.write = [memory](std::int64_t offset, std::span<const std::byte> from) -> Failure {
    std::memcpy(memory->data() + offset, from.data(), from.size());
    return std::nullopt;
  };
  return piece;
}

TEST(ValueInPieces, ReadsWhatWasWrittenInPortionsOfAnySize) {
  const Shape whole{5, 6};
  std::vector<HeldPiece> pieces;
  for (const Range rows : {Range{0, 2}, Range{2, 5}})
    for (const Range columns : {Range{0, 4}, Range{4, 6}})
      pieces.push_back(piece_in(std::make_shared<Bytes>(), whole, {rows, columns}));
  const HeldValue value = value_in_pieces(std::move(pieces));
  EXPECT_EQ(value.name, "w");
  EXPECT_EQ(value.type.shape, whole);
  for (const std::size_t portion : {1U, 7U, 24U, 120U}) {
    std::vector<float> numbers(30);
    std::iota(numbers.begin(), numbers.end(), static_cast<float>(portion));
    Bytes bytes(120);
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += portion)
      ASSERT_FALSE(value.write(
          static_cast<std::int64_t>(at),
          std::span<const std::byte>(bytes).subspan(at, std::min(portion, bytes.size() - at))));
    // Twice: what was read before must not be taken for what is there now.
    for (int again = 0; again < 2; ++again) {
      Bytes read(bytes.size());
      for (std::size_t at = 0; at < read.size(); at += portion)
        ASSERT_FALSE(value.read(
            static_cast<std::int64_t>(at),
            std::span<std::byte>(read).subspan(at, std::min(portion, read.size() - at))));
      EXPECT_EQ(read, bytes) << portion;
    }
  }
}

// A store keeps a checksum of each write.
TEST(ValueInPieces, WritesWhatAPieceHasOfAPortionAtOnce) {
  std::vector<HeldPiece> pieces;
  std::vector<std::size_t> sizes;
  for (const Range columns : {Range{0, 2}, Range{2, 3}}) {
    pieces.push_back(piece_in(std::make_shared<Bytes>(), {1000, 3}, {{0, 1000}, columns}));
    pieces.back().value.write = [&](std::int64_t, std::span<const std::byte> from) -> Failure {
      sizes.push_back(from.size());
      return std::nullopt;
    };
  }
  const HeldValue value = value_in_pieces(std::move(pieces));
  ASSERT_FALSE(value.write(120, Bytes(240)));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{160, 80}));
}

// Pieces may be larger than what RAM there is: half of a table whose rows lie in storage.
TEST(ValueInPieces, ReadsNoMoreOfAPieceThanIsAskedFor) {
  std::vector<HeldPiece> pieces;
  std::size_t most_bytes = 0;
  for (const Range columns : {Range{0, 2}, Range{2, 3}}) {
    pieces.push_back(piece_in(std::make_shared<Bytes>(), {1000, 3}, {{0, 1000}, columns}));
    const auto read = pieces.back().value.read;
    pieces.back().value.read = [&, read](std::int64_t offset, std::span<std::byte> into) {
      most_bytes = std::max(most_bytes, into.size());
      return read(offset, into);
    };
  }
  const HeldValue value = value_in_pieces(std::move(pieces));
  Bytes read(120);
  for (const std::int64_t offset : {0, 4000, 11'880}) ASSERT_FALSE(value.read(offset, read));
  EXPECT_EQ(most_bytes, 80U);
}

TEST(ValueInPieces, IsReadOnlyWhereAPieceIs) {
  std::vector<HeldPiece> pieces;
  pieces.push_back(piece_in(std::make_shared<Bytes>(), {4}, {{0, 2}}));
  pieces.push_back(piece_in(std::make_shared<Bytes>(), {4}, {{2, 4}}));
  pieces[1].value.write = nullptr;
  EXPECT_FALSE(value_in_pieces(std::move(pieces)).write);
}

}  // namespace
}  // namespace poet
