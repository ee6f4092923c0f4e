#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace poet {

// RAM budgets that a training can move between from step to step, the largest first: `levels` of
// them (at least 2) from `most_bytes` to `least_bytes`, each the same part of the one before, in
// whole pieces of `piece_bytes`; fewer where rounding makes two the same. least_bytes < most_bytes.
std::vector<std::int64_t> budget_levels(std::int64_t most_bytes, std::int64_t least_bytes,
                                        std::int64_t levels, std::int64_t piece_bytes);

// The first level that needs no more than this; the last where none does.
std::size_t level_within(std::span<const std::int64_t> levels, std::int64_t bytes);

}  // namespace poet
