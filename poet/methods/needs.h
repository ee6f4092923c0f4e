#pragma once

#include <vector>

#include "poet/base/result.h"
#include "poet/methods/player.h"
#include "poet/problem/problem.h"

namespace poet {

// Unsupported, in the same words for every method, where the problem forbids what the method lives
// on.
Failure needs_rematerialisation(const Problem& problem);
Failure needs_paging(const Problem& problem);

// The ways to read homes in storage that make a difference.
std::vector<HomeReads> ways_to_read_homes(const Problem& problem);

}  // namespace poet
