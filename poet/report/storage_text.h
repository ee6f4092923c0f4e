#pragma once

#include <string>

#include "poet/problem/problem.h"
#include "poet/verify/replay.h"

namespace poet {

// What follows a number of paged tensors and the bytes that move, which may be none and many: what
// has its home in storage is read from there and written back without being paged. Empty where that
// explains nothing.
std::string homes_clause(const Problem& problem, const Replay& replay);

}  // namespace poet
