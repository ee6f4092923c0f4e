#include "poet/layout/first_fit.h"

#include <algorithm>
#include <numeric>

#include "poet/layout/failed_states.h"

namespace poet {
namespace {

double life_of(const SectionBlock& block) {
  return static_cast<double>(block.last - block.first);
}

double area_of(const Sections& sections, const SectionBlock& block) {
  double area = 0;
  for (std::int32_t p = block.piece_begin; p < block.piece_end; ++p) {
    const SectionPiece& piece = sections.pieces[static_cast<std::size_t>(p)];
    area += static_cast<double>(piece.size) * static_cast<double>(piece.last - piece.first);
  }
  return area;
}

double largest_load(const Sections& sections, const SectionBlock& block) {
  return static_cast<double>(
      *std::max_element(sections.load.begin() + block.first, sections.load.begin() + block.last));
}

// What comes second counts less than one of what comes first: it is divided by `longest`, or
// `largest`.
double rank_of(const Sections& sections, const SectionBlock& block, Rank rank, double longest,
               double largest) {
  const auto size = static_cast<double>(block.height);
  switch (rank) {
    case Rank::Area:
      return area_of(sections, block);
    case Rank::Size:
      return size + life_of(block) / longest;
    case Rank::Life:
      return life_of(block) + size / largest;
    case Rank::TallArea:
      return area_of(sections, block) * size;
    case Rank::FullLife:
      return largest_load(sections, block) + life_of(block) / longest;
  }
  return 0;
}

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

std::vector<double> ranks(const Sections& sections, Rank rank, double noise, std::uint64_t seed) {
  const double longest = sections.count + 1.0;
  const double largest = static_cast<double>(sections.lower_bound()) + 1;
  std::vector<double> all;
  for (std::size_t b = 0; b < sections.blocks.size(); ++b) {
    constexpr double kTwoTo53 = 9007199254740992.0;
    const double random = static_cast<double>(mixed_bits(seed * 7919 + b) >> 11) / kTwoTo53;
    all.push_back(rank_of(sections, sections.blocks[b], rank, longest, largest) *
                  (1 + noise * random));
  }
  return all;
}

std::vector<std::int32_t> order_by(const std::vector<double>& ranks) {
  std::vector<std::int32_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return ranks[static_cast<std::size_t>(a)] > ranks[static_cast<std::size_t>(b)];
  });
  return order;
}

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
