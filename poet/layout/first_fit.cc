#include "poet/layout/first_fit.h"

#include <algorithm>

namespace poet {
namespace {

// Offsets (low, high), both excluded, at which two blocks would meet.
struct Forbidden {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

class FirstFit {
 public:
  explicit FirstFit(const Sections& sections)
      : sections_(sections), offsets_(sections.blocks.size(), 0) {}

  UnitOffsets run(const std::vector<std::int32_t>& order) {
    for (const std::int32_t b : order) place(b);
    return offsets_;
  }

 private:
  const SectionBlock& block(std::int32_t b) const {
    return sections_.blocks[static_cast<std::size_t>(b)];
  }

  void place(std::int32_t b) {
    forbidden_.clear();
    for (const std::int32_t other : placed_)
      if (block(other).first < block(b).last && block(b).first < block(other).last)
        forbid(b, other);
    std::sort(forbidden_.begin(), forbidden_.end(),
              [](const Forbidden& x, const Forbidden& y) { return x.low < y.low; });
    std::int64_t offset = 0;
    for (const Forbidden& range : forbidden_) {
      if (offset <= range.low) break;
      offset = std::max(offset, range.high);
    }
    offsets_[static_cast<std::size_t>(b)] = offset;
    placed_.push_back(b);
  }

  void forbid(std::int32_t b, std::int32_t other) {
    const std::int64_t base = offsets_[static_cast<std::size_t>(other)];
    for (std::int32_t p = block(b).piece_begin; p < block(b).piece_end; ++p) {
      for (std::int32_t q = block(other).piece_begin; q < block(other).piece_end; ++q) {
        const SectionPiece& mine = sections_.pieces[static_cast<std::size_t>(p)];
        const SectionPiece& theirs = sections_.pieces[static_cast<std::size_t>(q)];
        if (mine.first < theirs.last && theirs.first < mine.last)
          forbidden_.push_back({base - mine.size, base + theirs.size});
      }
    }
  }

  const Sections& sections_;
  UnitOffsets offsets_;
  std::vector<std::int32_t> placed_;
  std::vector<Forbidden> forbidden_;
};

}  // namespace

UnitOffsets first_fit(const Sections& sections, const std::vector<std::int32_t>& order) {
  return FirstFit(sections).run(order);
}

std::int64_t height_of(const Sections& sections, const UnitOffsets& offsets) {
  std::int64_t height = 0;
  for (std::size_t b = 0; b < offsets.size(); ++b)
    height = std::max(height, offsets[b] + sections.blocks[b].height);
  return height;
}

}  // namespace poet
