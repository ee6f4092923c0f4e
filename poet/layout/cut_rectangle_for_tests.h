#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "poet/layout/packing.h"

namespace poet::testing {

// A rectangle of time and height cut into blocks: its height is the least, and a packing that
// attains it wastes nothing.
inline std::vector<PackBlock> cut_rectangle(std::uint64_t seed, std::int64_t count,
                                            std::int64_t time, std::int64_t height) {
  struct Rectangle {
    std::int64_t lower, upper, bottom, top;
  };
  std::mt19937_64 random(seed);
  const auto draw = [&random](std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  std::vector<Rectangle> all = {{0, time, 0, height}};
  while (static_cast<std::int64_t>(all.size()) < count) {
    std::swap(all[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(all.size()) - 1))],
              all.back());
    Rectangle old = all.back();
    const bool in_time = draw(0, 1) == 0;
    if (in_time ? old.upper - old.lower < 2 : old.top - old.bottom < 2) continue;
    all.pop_back();
    Rectangle rest = old;
    if (in_time)
      old.upper = rest.lower = draw(old.lower + 1, old.upper - 1);
    else
      old.top = rest.bottom = draw(old.bottom + 1, old.top - 1);
    all.push_back(old);
    all.push_back(rest);
  }
  std::vector<PackBlock> blocks;
  for (const Rectangle& one : all)
    blocks.push_back({.pieces = {{one.lower, one.upper, one.top - one.bottom}}});
  return blocks;
}

}  // namespace poet::testing
