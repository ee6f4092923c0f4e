#pragma once

#include <cstdint>
#include <vector>

#include "poet/measure/power_rows.h"

namespace poet {

// How often a row uses each term; terms ascend, and each stands there once.
using RowUses = std::vector<TermUse>;

// For each term, the number from 1 on of the set of those that it cannot be told apart from, or 0:
// some other values of all of a set would give every row the same sum. Counts are whole numbers.
// Gaussian elimination modulo a prime of 61 bits: it decides as exact arithmetic would, but for a
// chance of about the number of terms in 2^61.
std::vector<std::int32_t> inseparable_terms(const std::vector<RowUses>& rows, std::size_t terms);

}  // namespace poet
