#include "poet/layout/valley_state.h"

#include <algorithm>

namespace poet {

ValleyState::ValleyState(const Sections& sections, std::int64_t capacity)
    : sections_(sections),
      capacity_(capacity),
      floor_(sections.load.size(), 0),
      rest_(sections.load),
      offset_(sections.blocks.size(), 0),
      landing_(sections.blocks.size(), 0),
      level_(sections.blocks.size(), 0),
      lowest_(sections.load.size()),
      failures_(sections.load.size(), 1) {}

bool ValleyState::set_floor(std::int32_t section, std::int64_t floor) {
  raised_.emplace_back(section, floor_[index(section)]);
  floor_[index(section)] = floor;
  if (slack(section) >= 0) return true;
  failures_[index(section)] += 1;
  return false;
}

bool ValleyState::raise(std::int32_t section, std::int64_t floor) {
  return set_floor(section, floor);
}

bool ValleyState::place(std::int32_t b, std::int64_t offset) {
  offset_[index(b)] = offset;
  placed_.push_back(b);
  bool fits = true;
  for (std::int32_t p = block(b).piece_begin; p < block(b).piece_end; ++p) {
    const SectionPiece& piece = sections_.pieces[index(p)];
    for (std::int32_t s = piece.first; s < piece.last; ++s) {
      rest_[index(s)] -= piece.size;
      if (!set_floor(s, offset + piece.size)) fits = false;
    }
  }
  return fits;
}

void ValleyState::undo(const Mark& mark) {
  for (; raised_.size() > mark.raises; raised_.pop_back())
    floor_[index(raised_.back().first)] = raised_.back().second;
  for (; placed_.size() > mark.placed; placed_.pop_back()) {
    const SectionBlock& back = block(placed_.back());
    for (std::int32_t p = back.piece_begin; p < back.piece_end; ++p) {
      const SectionPiece& piece = sections_.pieces[index(p)];
      for (std::int32_t s = piece.first; s < piece.last; ++s) rest_[index(s)] += piece.size;
    }
  }
}

void ValleyState::land(std::int32_t b) {
  const auto begin = floor_.begin() + block(b).first;
  const auto end = floor_.begin() + block(b).last;
  std::int64_t high = *begin;
  std::int64_t low = *begin;
  for (auto floor = begin; floor != end; ++floor) {
    high = std::max(high, *floor);
    low = std::min(low, *floor);
  }
  landing_[index(b)] = high;
  level_[index(b)] = high == low ? 1 : 0;
  for (std::int32_t s = block(b).first; s < block(b).last; ++s) {
    Lowest& lowest = lowest_[index(s)];
    if (high < lowest.landing)
      lowest = {.landing = high, .next = lowest.landing, .block = b};
    else
      lowest.next = std::min(lowest.next, high);
  }
}

bool ValleyState::settle(const std::vector<std::int32_t>& blocks, std::int32_t first,
                         std::int32_t last) {
  for (bool changed = true; changed;) {
    changed = false;
    std::fill(lowest_.begin() + first, lowest_.begin() + last, Lowest{});
    for (const std::int32_t b : blocks) land(b);
    for (std::int32_t s = first; s < last; ++s) {
      const Lowest& lowest = lowest_[index(s)];
      if (lowest.block < 0 || lowest.landing <= floor(s)) continue;
      if (!set_floor(s, lowest.landing)) return false;
      changed = true;
    }
  }
  return true;
}

std::int64_t ValleyState::lowest_beside(std::int32_t b) const {
  std::int64_t least = kNoHeight;
  for (std::int32_t s = block(b).first; s < block(b).last; ++s) {
    const Lowest& lowest = lowest_[index(s)];
    least = std::min(least, lowest.block == b ? lowest.next : lowest.landing);
  }
  return least;
}

}  // namespace poet
