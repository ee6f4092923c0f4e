// Room in stretches of stages (docs/model/intervals.md §3).
#include "poet/solve/free_room.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace poet {
namespace {

constexpr std::int64_t kNoStage = std::numeric_limits<std::int64_t>::max();

}  // namespace

FreeRoom::FreeRoom(const std::vector<std::int64_t>& free_bytes)
    : stages_(
          static_cast<std::int32_t>(std::bit_ceil(std::max<std::size_t>(1, free_bytes.size())))),
      least_(2 * static_cast<std::size_t>(stages_), kNoStage),
      taken_(2 * static_cast<std::size_t>(stages_), 0) {
  std::copy(free_bytes.begin(), free_bytes.end(), least_.begin() + stages_);
  for (std::size_t node = static_cast<std::size_t>(stages_); node-- > 1;)
    least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
}

std::int64_t FreeRoom::least(std::int32_t begin, std::int32_t end) const {
  return begin < end ? least_in(1, 0, stages_, begin, end) : kNoStage;
}

void FreeRoom::take(std::int32_t begin, std::int32_t end, std::int64_t bytes) {
  if (begin < end) take_in(1, 0, stages_, begin, end, bytes);
}

std::int64_t FreeRoom::least_in(std::size_t node, std::int32_t first, std::int32_t last,
                                std::int32_t begin, std::int32_t end) const {
  if (begin <= first && last <= end) return least_[node];
  const std::int32_t middle = first + (last - first) / 2;
  std::int64_t least = kNoStage;
  if (begin < middle) least = least_in(2 * node, first, middle, begin, end);
  if (end > middle) least = std::min(least, least_in(2 * node + 1, middle, last, begin, end));
  return least - taken_[node];
}

void FreeRoom::take_in(std::size_t node, std::int32_t first, std::int32_t last, std::int32_t begin,
                       std::int32_t end, std::int64_t bytes) {
  if (begin <= first && last <= end) {
    least_[node] -= bytes;
    taken_[node] += bytes;
    return;
  }
  const std::int32_t middle = first + (last - first) / 2;
  if (begin < middle) take_in(2 * node, first, middle, begin, end, bytes);
  if (end > middle) take_in(2 * node + 1, middle, last, begin, end, bytes);
  least_[node] = std::min(least_[2 * node], least_[2 * node + 1]) - taken_[node];
}

}  // namespace poet
