#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "poet/base/result.h"
#include "poet/train/held_values.h"
#include "poet/train/ranks.h"

namespace poet {

// Values on their way between ranks: two pieces that come in, two that go out, and one of one's own
// to add.
class RankBuffers {
 public:
  explicit RankBuffers(std::int64_t piece_bytes);

  std::int64_t piece_bytes() const { return piece_bytes_; }
  std::span<std::byte> coming(std::size_t piece) { return part(piece % 2); }
  std::span<std::byte> going(std::size_t piece) { return part(2 + piece % 2); }
  std::span<std::byte> own() { return part(4); }

 private:
  std::span<std::byte> part(std::size_t place);

  std::int64_t piece_bytes_;
  std::vector<std::byte> bytes_;
};

// What a rank adds to a value of several ranks: how many summands, and each of them, piece by
// piece.
struct OwnSummands {
  std::int64_t count = 0;
  // Reads a piece of value `value` of summand `summand`.
  std::function<Failure(std::int64_t summand, std::size_t value, std::int64_t offset_bytes,
                        std::span<std::byte> into)>
      read = {};
};

// Sets each value of the last rank, of float32 numbers, to the sum of all ranks' summands, in the
// order of ranks and then of each one's own: the additions that one process does that has all of
// them. Every rank has one at least, and the same values. The sum goes from rank to rank, piece
// after piece, so that all are at work at a time.
//
// A failure here keeps nobody waiting, nor in the two below: what was to be sent is sent, with
// other contents.
Failure add_up(Ranks& ranks, const std::vector<HeldValue>& values, const OwnSummands& own,
               RankBuffers& buffers);

// Gives the values of one rank to all others, along a ring.
Failure pass_on(Ranks& ranks, int from, const std::vector<HeldValue>& values, RankBuffers& buffers);

// Gives the values of one rank to one other. All ranks may call it.
Failure hand_over(Ranks& ranks, int from, int to, const std::vector<HeldValue>& values,
                  RankBuffers& buffers);

}  // namespace poet
