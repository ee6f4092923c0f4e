// Which sizes of parts there are to try.
#include "poet/ask/part_levels.h"

#include <algorithm>

namespace poet {
namespace {

constexpr std::size_t kLevels = 6;
constexpr std::int64_t kCloseLevels = 16;
constexpr int kCloseDoublings = 5;

// The least of them that is more than so much.
std::int64_t larger_level(std::int64_t bytes) {
  const std::int64_t below = round_level(bytes);
  const bool is_power = (below & (below - 1)) == 0;
  return is_power ? below / 2 * 3 : below / 3 * 4;
}

}  // namespace

std::int64_t round_level(std::int64_t bytes) {
  std::int64_t power = 1;
  while (power <= bytes / 2) power *= 2;
  return power / 2 * 3 <= bytes ? power / 2 * 3 : power;
}

std::vector<std::int64_t> levels_to_try(std::int64_t ram_budget_bytes) {
  std::vector<std::int64_t> levels = {larger_level(ram_budget_bytes), ram_budget_bytes};
  while (levels.size() < kLevels && levels.back() > kLeastLevel)
    levels.push_back(round_level(levels.back() - 1));
  return levels;
}

std::vector<std::int64_t> coarse_levels_to_try(std::int64_t ram_budget_bytes) {
  std::vector<std::int64_t> levels = {larger_level(ram_budget_bytes), ram_budget_bytes};
  while (levels.size() < kLevels && levels.back() > kLeastLevel) {
    const std::int64_t below = round_level(levels.back() - 1);
    const std::int64_t between = below + (larger_level(below) - below) / 2;
    if (between < levels.back()) levels.push_back(between);
    levels.push_back(below);
  }
  levels.resize(std::min(levels.size(), kLevels));
  return levels;
}

std::vector<std::int64_t> levels_in_memories(std::int64_t bytes_of_all_memories) {
  constexpr int kMostLevels = 5;
  constexpr std::int64_t kQuarter = 4;
  std::vector<std::int64_t> levels;
  for (std::int64_t bytes = bytes_of_all_memories / kQuarter;
       bytes >= kLeastLevel && std::ssize(levels) < kMostLevels; bytes /= kQuarter)
    levels.push_back(round_level(bytes));
  return levels;
}

std::vector<std::int64_t> levels_from(std::int64_t bytes) {
  std::vector<std::int64_t> levels;
  for (std::int64_t level = round_level(bytes); levels.size() < kLevels && level >= kLeastLevel;
       level = round_level(level - 1))
    levels.push_back(level);
  return levels;
}

std::vector<std::int64_t> close_levels(std::int64_t bytes) {
  std::vector<std::int64_t> levels;
  std::int64_t power = 1;
  while (power <= bytes) power *= 2;
  for (int k = 0; k < kCloseDoublings && power >= kCloseLevels && power > kLeastLevel; ++k) {
    for (std::int64_t part = kCloseLevels; part > 0; --part) {
      const std::int64_t level = power + power / kCloseLevels * part;
      if (level <= 2 * bytes) levels.push_back(level);
    }
    power /= 2;
  }
  return levels;
}

std::vector<std::int64_t> levels_between(const std::vector<std::int64_t>& levels) {
  std::vector<std::int64_t> between;
  for (std::size_t k = 1; k < levels.size(); ++k)
    if (levels[k - 1] - levels[k] >= 2)
      between.push_back(levels[k] + (levels[k - 1] - levels[k]) / 2);
  return between;
}

std::vector<std::int64_t> levels_beside(std::int64_t level,
                                        const std::vector<std::int64_t>& levels) {
  std::vector<std::int64_t> beside;
  const auto here = std::find(levels.begin(), levels.end(), level);
  if (here == levels.end()) return beside;
  const auto add = [&](std::int64_t neighbour) {
    const std::int64_t between = level + (neighbour - level) / 4;
    if (between != level) beside.push_back(between);
  };
  if (here + 1 != levels.end()) add(*(here + 1));
  if (here != levels.begin()) add(*(here - 1));
  return beside;
}

std::optional<std::int64_t> half_way_below(std::int64_t cut, const std::vector<TriedLevel>& tried) {
  std::int64_t not_reached = 0;
  for (const TriedLevel& one : tried)
    if (one.operations == 0 && one.part_bytes < cut)
      not_reached = std::max(not_reached, one.part_bytes);
  if (not_reached == 0 || cut - not_reached < 2) return std::nullopt;
  return not_reached + (cut - not_reached) / 2;
}

}  // namespace poet
