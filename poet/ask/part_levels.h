#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/ask/instance.h"

namespace poet {

// A few numbers: smaller parts have no room for what an operation reads and makes.
inline constexpr std::int64_t kLeastLevel = 32;

// The largest of 2^k and 3 * 2^k that is at most so much.
std::int64_t round_level(std::int64_t bytes);

// The levels that are tried in a RAM budget, of 2^k and 3 * 2^k: the least above it, as what an
// operation needs is often less than its level, the budget itself, and some below it
// (docs/decisions/0039-parts-by-budget.md).
std::vector<std::int64_t> levels_to_try(std::int64_t ram_budget_bytes);

// The same where a step may not have as many operations as it likes: levels between these, too, and
// none as fine.
std::vector<std::int64_t> coarse_levels_to_try(std::int64_t ram_budget_bytes);

// Those that are tried in several memories of so much together, each a quarter of the one before:
// operations of the first fit into a slow memory with all that is alive beside them.
inline constexpr std::int64_t kMostPartsInMemories = 4'000;  // take a minute to plan
std::vector<std::int64_t> levels_in_memories(std::int64_t bytes_of_all_memories);

// As many, from so much on down.
std::vector<std::int64_t> levels_from(std::int64_t bytes);

// Sixteen to each doubling, from twice so much on down: how things are cut changes between levels
// that are close to each other, and not by steps that have to do with a budget, so the levels are
// the same for all.
std::vector<std::int64_t> close_levels(std::int64_t bytes);

// Half way from each to the next, which is less.
std::vector<std::int64_t> levels_between(const std::vector<std::int64_t>& levels);

// A quarter of the way from one of the levels to the next finer one, and to the next coarser: how
// things are cut, and in which order, changes between levels, so one beside the best may be better.
std::vector<std::int64_t> levels_beside(std::int64_t level,
                                        const std::vector<std::int64_t>& levels);

// Half way from a level that was cut to the coarsest below it that was not.
std::optional<std::int64_t> half_way_below(std::int64_t cut, const std::vector<TriedLevel>& tried);

}  // namespace poet
