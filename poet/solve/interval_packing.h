#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/solve/event_choice.h"
#include "poet/solve/interval_prices.h"
#include "poet/solve/keep_intervals.h"
#include "poet/solve/step.h"

namespace poet {

// Bytes that are free in each stage: the least of a stretch of stages, and bytes taken from one, in
// time that grows with the logarithm of the stages (a segment tree).
class FreeRoom {
 public:
  explicit FreeRoom(const std::vector<std::int64_t>& free_bytes);

  // Over the stages [begin, end); the largest number where there is none.
  std::int64_t least(std::int32_t begin, std::int32_t end) const;
  void take(std::int32_t begin, std::int32_t end, std::int64_t bytes);

 private:
  std::int64_t least_in(std::size_t node, std::int32_t first, std::int32_t last, std::int32_t begin,
                        std::int32_t end) const;
  void take_in(std::size_t node, std::int32_t first, std::int32_t last, std::int32_t begin,
               std::int32_t end, std::int64_t bytes);

  std::int32_t stages_;              // a power of two
  std::vector<std::int64_t> least_;  // of a node's stages, what is taken from all of them included
  std::vector<std::int64_t> taken_;  // from all of a node's stages
};

// A schedule by paging alone (docs/model/intervals.md §3): what is worth most for what its room
// costs at these prices is kept, as long as it fits; everything else is read back. Nothing where
// that breaks a budget.
std::optional<EventChoice> pack_intervals(const Step& step, const KeepIntervals& intervals,
                                          const IntervalPrices& prices);

}  // namespace poet
