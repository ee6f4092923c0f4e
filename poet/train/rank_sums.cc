#include "poet/train/rank_sums.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

struct Piece {
  std::size_t value = 0;
  std::int64_t offset_bytes = 0;
  std::size_t size_bytes = 0;
};

// One after the other, across all values, so that the way from rank to rank is never empty.
std::vector<Piece> pieces_of(const std::vector<HeldValue>& values, std::int64_t piece_bytes) {
  std::vector<Piece> pieces;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const std::int64_t bytes = size_bytes(values[v].type);
    for (std::int64_t offset = 0; offset < bytes; offset += piece_bytes)
      pieces.push_back(
          {v, offset, static_cast<std::size_t>(std::min(piece_bytes, bytes - offset))});
  }
  return pieces;
}

// The first thing that went wrong; what comes after it goes on.
class FirstFailure {
 public:
  void add(Failure failure) {
    if (failure && !failure_) failure_ = std::move(failure);
  }
  Failure take() { return std::move(failure_); }

 private:
  Failure failure_ = {};
};

void add_floats(std::span<std::byte> sum, std::span<const std::byte> summand) {
  for (std::size_t at = 0; at < sum.size(); at += sizeof(float)) {
    float a = 0;
    float b = 0;
    std::memcpy(&a, &sum[at], sizeof a);
    std::memcpy(&b, &summand[at], sizeof b);
    a += b;
    std::memcpy(&sum[at], &a, sizeof a);
  }
}

// Pieces that come from one rank: the next is under way while one is used.
class Coming {
 public:
  Coming(Ranks& ranks, std::optional<int> from, const std::vector<Piece>& pieces,
         RankBuffers& buffers)
      : ranks_(ranks), from_(from), pieces_(pieces), buffers_(buffers) {
    begin(0);
  }

  // Waits for piece p, and begins the one after it.
  std::span<std::byte> take(std::size_t p) {
    if (!from_) return {};
    ranks_.wait(ticket_);
    begin(p + 1);
    return buffers_.coming(p).first(pieces_[p].size_bytes);
  }

 private:
  void begin(std::size_t p) {
    if (!from_ || p == pieces_.size()) return;
    ticket_ = ranks_.start_receive(*from_, buffers_.coming(p).first(pieces_[p].size_bytes));
  }

  Ranks& ranks_;
  std::optional<int> from_;
  const std::vector<Piece>& pieces_;
  RankBuffers& buffers_;
  MessageTicket ticket_ = {};  // of the piece that comes next
};

// Pieces that go to one rank: one is under way while the next is made.
class Going {
 public:
  Going(Ranks& ranks, std::optional<int> to, const std::vector<Piece>& pieces, RankBuffers& buffers)
      : ranks_(ranks), to_(to), pieces_(pieces), buffers_(buffers) {}
  ~Going() {
    for (const std::optional<MessageTicket>& ticket : tickets_)
      if (ticket) ranks_.wait(*ticket);
  }
  Going(const Going&) = delete;
  Going& operator=(const Going&) = delete;

  // Where piece p is made.
  std::span<std::byte> room(std::size_t p) {
    std::optional<MessageTicket>& before = tickets_[p % 2];
    if (before) ranks_.wait(*before);
    before.reset();
    return buffers_.going(p).first(pieces_[p].size_bytes);
  }

  void send(std::size_t p) {
    if (to_)
      tickets_[p % 2] = ranks_.start_send(*to_, buffers_.going(p).first(pieces_[p].size_bytes));
  }

 private:
  Ranks& ranks_;
  std::optional<int> to_;
  const std::vector<Piece>& pieces_;
  RankBuffers& buffers_;
  std::array<std::optional<MessageTicket>, 2> tickets_ = {};
};

std::optional<int> only_if(bool there, int rank) {
  return there ? std::optional(rank) : std::nullopt;
}

// Where values come from, and where they go on to.
struct Way {
  std::optional<int> from = {};
  std::optional<int> to = {};
};

// What comes is kept, and goes on; where nothing comes, it is what is there that goes.
Failure go_along(Ranks& ranks, const Way& way, const std::vector<HeldValue>& values,
                 RankBuffers& buffers) {
  const std::vector<Piece> pieces = pieces_of(values, buffers.piece_bytes());
  FirstFailure failed;
  Coming coming(ranks, way.from, pieces, buffers);
  Going going(ranks, way.to, pieces, buffers);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const HeldValue& value = values[pieces[p].value];
    const std::span<std::byte> piece = going.room(p);
    if (way.from) {
      const std::span<const std::byte> come = coming.take(p);
      std::copy(come.begin(), come.end(), piece.begin());
    } else {
      failed.add(value.read(pieces[p].offset_bytes, piece));
    }
    going.send(p);
    if (way.from) failed.add(value.write(pieces[p].offset_bytes, piece));
  }
  return failed.take();
}

}  // namespace

RankBuffers::RankBuffers(std::int64_t piece_bytes)
    : piece_bytes_(piece_bytes), bytes_(static_cast<std::size_t>(5 * piece_bytes)) {
  POET_CHECK(piece_bytes > 0 && piece_bytes % static_cast<std::int64_t>(sizeof(float)) == 0);
}

std::span<std::byte> RankBuffers::part(std::size_t place) {
  const auto size = static_cast<std::size_t>(piece_bytes_);
  return std::span(bytes_).subspan(place * size, size);
}

Failure add_up(Ranks& ranks, const std::vector<HeldValue>& values, const OwnSummands& own,
               RankBuffers& buffers) {
  POET_CHECK(own.count > 0);
  for (const HeldValue& value : values) POET_CHECK(value.type.element == ElementType::Float32);
  const RankPlace place = ranks.place();
  const int last = place.count - 1;
  const bool is_last = place.own == last;
  const std::vector<Piece> pieces = pieces_of(values, buffers.piece_bytes());
  FirstFailure failed;
  Coming coming(ranks, only_if(place.own > 0, place.own - 1), pieces, buffers);
  Going going(ranks, only_if(!is_last, place.own + 1), pieces, buffers);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const Piece& piece = pieces[p];
    const std::span<std::byte> sum = going.room(p);
    const std::span<const std::byte> before = coming.take(p);
    std::copy(before.begin(), before.end(), sum.begin());
    for (std::int64_t summand = 0; summand < own.count; ++summand) {
      const bool is_first = before.empty() && summand == 0;
      const std::span<std::byte> into = is_first ? sum : buffers.own().first(piece.size_bytes);
      failed.add(own.read(summand, piece.value, piece.offset_bytes, into));
      if (!is_first) add_floats(sum, into);
    }
    if (is_last) failed.add(values[piece.value].write(piece.offset_bytes, sum));
    going.send(p);
  }
  return failed.take();
}

Failure pass_on(Ranks& ranks, int from, const std::vector<HeldValue>& values,
                RankBuffers& buffers) {
  const RankPlace place = ranks.place();
  const int next = (place.own + 1) % place.count;
  const int before = (place.own + place.count - 1) % place.count;
  return go_along(ranks,
                  {.from = only_if(place.own != from, before), .to = only_if(next != from, next)},
                  values, buffers);
}

Failure hand_over(Ranks& ranks, int from, int to, const std::vector<HeldValue>& values,
                  RankBuffers& buffers) {
  const int own = ranks.place().own;
  if (from == to || (own != from && own != to)) return std::nullopt;
  return go_along(ranks, {.from = only_if(own == to, from), .to = only_if(own == from, to)}, values,
                  buffers);
}

}  // namespace poet
