#include "poet/layout/valley_dive.h"

#include <algorithm>
#include <limits>

#include "poet/layout/first_fit.h"
#include "poet/layout/valley_state.h"

namespace poet {
namespace {

constexpr std::int64_t kStepsPerLookAtTheClock = 256;

std::size_t index(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

// Numbers by place, of which the first of the least is known.
class LeastOf {
 public:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  explicit LeastOf(std::size_t count) {
    while (leaves_ < count) leaves_ *= 2;
    least_.resize(2 * leaves_, kNone);
  }

  void set(std::size_t place, std::int64_t number) {
    std::size_t node = leaves_ + place;
    least_[node] = number;
    while (node > 1) {
      node /= 2;
      const std::int64_t least = std::min(least_[2 * node], least_[2 * node + 1]);
      if (least_[node] == least) return;
      least_[node] = least;
    }
  }

  // Nothing where all are kNone.
  std::optional<std::size_t> first_of_least() const {
    if (least_[1] == kNone) return std::nullopt;
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (least_[node] != least_[node / 2]) ++node;
    }
    return node - leaves_;
  }

 private:
  std::size_t leaves_ = 1;
  std::vector<std::int64_t> least_ = {};  // a binary tree; the root is 1
};

class Dive {
 public:
  Dive(const Sections& sections, const std::vector<double>& rank, std::int64_t limit)
      : sections_(sections),
        limit_(limit),
        floor_(sections.load.size(), 0),
        rest_(sections.load),
        unplaced_(sections.load.size()),
        beginning_(sections.load.size()),
        lowest_(sections.load.size()),
        offsets_(sections.blocks.size(), 0),
        placed_(sections.blocks.size(), 0) {
    for (const std::int32_t b : order_by(rank)) {
      beginning_[index(block(b).first)].push_back(b);
      for (std::int32_t s = block(b).first; s < block(b).last; ++s)
        unplaced_[index(s)].push_back(b);
    }
    for (std::int32_t s = 0; s < sections.count; ++s) look_at(s);
  }

  std::optional<UnitOffsets> run(const Stop& stop) {
    for (std::int64_t step = 0;; ++step) {
      if (step % kStepsPerLookAtTheClock == 0 && stop.requested()) return std::nullopt;
      const std::optional<Valley> valley = lowest_valley();
      if (!valley) return offsets_;
      const std::optional<std::int32_t> b = next_block(*valley);
      if (!(b ? place(*b, valley->floor) : raise(*valley))) return std::nullopt;
    }
  }

 private:
  // Sections [first, last) of one floor between higher ones, or finished ones.
  struct Valley {
    std::int32_t first = 0;
    std::int32_t last = 0;
    std::int64_t floor = 0;
    std::int32_t fullest = 0;  // the section with the most to hold
  };

  const SectionBlock& block(std::int32_t b) const { return sections_.blocks[index(b)]; }
  bool is_open(std::int32_t s) const { return rest_[index(s)] > 0; }
  void look_at(std::int32_t s) {
    lowest_.set(index(s), is_open(s) ? floor_[index(s)] : LeastOf::kNone);
  }

  std::optional<Valley> lowest_valley() const {
    const std::optional<std::size_t> first = lowest_.first_of_least();
    if (!first) return std::nullopt;
    const auto lowest = static_cast<std::int32_t>(*first);
    Valley valley = {lowest, lowest, floor_[index(lowest)], lowest};
    for (; valley.last < sections_.count && is_open(valley.last) &&
           floor_[index(valley.last)] == valley.floor;
         ++valley.last)
      if (rest_[index(valley.last)] > rest_[index(valley.fullest)]) valley.fullest = valley.last;
    return valley;
  }

  std::optional<std::int32_t> next_block(const Valley& valley) {
    std::vector<std::int32_t>& blocks = unplaced_[index(valley.fullest)];
    std::erase_if(blocks, [this](std::int32_t b) { return placed_[index(b)] != 0; });
    const auto inside = std::find_if(blocks.begin(), blocks.end(), [&](std::int32_t b) {
      return block(b).first >= valley.first && block(b).last <= valley.last;
    });
    if (inside == blocks.end()) return std::nullopt;
    return *inside;
  }

  bool place(std::int32_t b, std::int64_t offset) {
    offsets_[index(b)] = offset;
    placed_[index(b)] = 1;
    bool fits = true;
    for (std::int32_t p = block(b).piece_begin; p < block(b).piece_end; ++p) {
      const SectionPiece& piece = sections_.pieces[index(p)];
      for (std::int32_t s = piece.first; s < piece.last; ++s) {
        rest_[index(s)] -= piece.size;
        floor_[index(s)] = offset + piece.size;
        look_at(s);
        if (floor_[index(s)] + rest_[index(s)] > limit_) fits = false;
      }
    }
    return fits;
  }

  // Nothing that lives in the fullest section lies wholly in the valley: all meets a wall. The
  // floor rises to the lower wall there, and wherever else that is so.
  bool raise(const Valley& valley) {
    std::int64_t wall = kNoHeight;
    if (valley.first > 0 && is_open(valley.first - 1)) wall = floor_[index(valley.first - 1)];
    if (valley.last < sections_.count && is_open(valley.last))
      wall = std::min(wall, floor_[index(valley.last)]);
    bool fits = true;
    std::int32_t covered_to = valley.first;  // by blocks inside, as seen so far
    for (std::int32_t s = valley.first; s < valley.last; ++s) {
      covered_to = std::max(covered_to, longest_inside(s, valley));
      if (s < covered_to) continue;
      floor_[index(s)] = wall;
      look_at(s);
      if (wall + rest_[index(s)] > limit_) fits = false;
    }
    return fits;
  }

  // The last end, within the valley, of an unplaced block that begins in the section.
  std::int32_t longest_inside(std::int32_t section, const Valley& valley) {
    std::vector<std::int32_t>& blocks = beginning_[index(section)];
    std::erase_if(blocks, [this](std::int32_t b) { return placed_[index(b)] != 0; });
    std::int32_t end = section;
    for (const std::int32_t b : blocks)
      if (block(b).last <= valley.last) end = std::max(end, block(b).last);
    return end;
  }

  const Sections& sections_;
  const std::int64_t limit_;
  std::vector<std::int64_t> floor_;  // by section
  std::vector<std::int64_t> rest_;   // by section: sizes of what is not placed
  // By section: its blocks by falling rank; placed ones are swept out when it is looked at.
  std::vector<std::vector<std::int32_t>> unplaced_;
  std::vector<std::vector<std::int32_t>> beginning_;  // by section: those that begin there
  LeastOf lowest_;                                    // floors of open sections
  UnitOffsets offsets_;
  std::vector<char> placed_;
};

}  // namespace

std::optional<UnitOffsets> valley_dive(const Sections& sections, const std::vector<double>& rank,
                                       std::int64_t limit, const Stop& stop) {
  return Dive(sections, rank, limit).run(stop);
}

}  // namespace poet
