#include "poet/layout/valley_state.h"

#include <algorithm>

namespace poet {

ValleyState::ValleyState(const Sections& sections, std::int64_t capacity)
    : sections_(sections),
      capacity_(capacity),
      floor_(sections.load.size(), 0),
      groups_(sections.load.size() / kGroup),
      rest_(sections.load),
      offset_(sections.blocks.size(), 0),
      landing_(sections.blocks.size(), 0),
      level_(sections.blocks.size(), 0),
      lowest_(sections.load.size()),
      changed_(sections.load.size(), 1),
      failures_(sections.load.size(), 1) {}

bool ValleyState::set_floor(std::int32_t section, std::int64_t floor) {
  raised_.emplace_back(section, floor_[index(section)]);
  write_floor(section, floor);
  if (slack(section) >= 0) return true;
  failures_[index(section)] += 1;
  return false;
}

void ValleyState::write_floor(std::int32_t section, std::int64_t floor) {
  floor_[index(section)] = floor;
  changed_[index(section)] = 1;
  if (index(section / kGroup) < groups_.size()) groups_[index(section / kGroup)].known = false;
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
    write_floor(raised_.back().first, raised_.back().second);
  for (; placed_.size() > mark.placed; placed_.pop_back()) {
    const SectionBlock& back = block(placed_.back());
    for (std::int32_t p = back.piece_begin; p < back.piece_end; ++p) {
      const SectionPiece& piece = sections_.pieces[index(p)];
      for (std::int32_t s = piece.first; s < piece.last; ++s) rest_[index(s)] += piece.size;
    }
  }
}

const ValleyState::Floors& ValleyState::floors_of_group(std::int32_t group) {
  Floors& floors = groups_[index(group)];
  if (floors.known) return floors;
  const auto begin = floor_.begin() + group * kGroup;
  const auto [low, high] = std::minmax_element(begin, begin + kGroup);
  floors = {.high = *high, .low = *low, .known = true};
  return floors;
}

void ValleyState::land(std::int32_t b) {
  const std::int32_t last = block(b).last;
  std::int32_t s = block(b).first;
  Floors floors{.high = floor(s), .low = floor(s)};
  for (; s < last && s % kGroup != 0; ++s) floors.meet(floor(s));
  for (; s + kGroup <= last; s += kGroup) {
    const Floors& group = floors_of_group(s / kGroup);
    floors.meet(group.high);
    floors.meet(group.low);
  }
  for (; s < last; ++s) floors.meet(floor(s));
  landing_[index(b)] = floors.high;
  level_[index(b)] = floors.high == floors.low ? 1 : 0;
}

// From the first to the last section of [first, last) whose floor has changed; they count as known
// from now on.
std::optional<ValleyState::Stretch> ValleyState::take_changed(std::int32_t first,
                                                              std::int32_t last) {
  const auto begin = changed_.begin() + first;
  const auto end = changed_.begin() + last;
  const auto from = std::find(begin, end, char{1});
  if (from == end) return std::nullopt;
  auto to = end;
  while (to[-1] == 0) --to;
  std::fill(from, to, char{0});
  return Stretch{.first = static_cast<std::int32_t>(from - changed_.begin()),
                 .last = static_cast<std::int32_t>(to - changed_.begin())};
}

void ValleyState::find_lowest(const std::vector<std::int32_t>& blocks, const Stretch& stretch) {
  std::fill(lowest_.begin() + stretch.first, lowest_.begin() + stretch.last, Lowest{});
  for (const std::int32_t b : blocks) {
    const std::int64_t landing = landing_[index(b)];
    const std::int32_t last = std::min(block(b).last, stretch.last);
    for (std::int32_t s = std::max(block(b).first, stretch.first); s < last; ++s) {
      Lowest& lowest = lowest_[index(s)];
      if (landing < lowest.landing)
        lowest = {.landing = landing, .next = lowest.landing, .block = b};
      else
        lowest.next = std::min(lowest.next, landing);
    }
  }
}

bool ValleyState::settle(const std::vector<std::int32_t>& blocks, std::int32_t first,
                         std::int32_t last) {
  while (const std::optional<Stretch> changed = take_changed(first, last)) {
    Stretch touched = *changed;
    for (const std::int32_t b : blocks) {
      if (!changed->meets(block(b))) continue;
      const std::int64_t before = landing(b);
      land(b);
      if (landing(b) == before) continue;
      touched.first = std::min(touched.first, block(b).first);
      touched.last = std::max(touched.last, block(b).last);
    }
    find_lowest(blocks, touched);
    for (std::int32_t s = touched.first; s < touched.last; ++s) {
      const Lowest& lowest = lowest_[index(s)];
      if (!lowest.is_there() || lowest.landing <= floor(s)) continue;
      if (!set_floor(s, lowest.landing)) return false;
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
