#pragma once

#include <cstdint>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet::testing {

// A schedule that breaks no rule but limits, for a problem of any size. It writes, drops, reads and
// computes again for no reason, takes over buffers in place, and keeps some of what may be resident
// in RAM. The same seed gives the same schedule everywhere.
Schedule random_schedule(const Problem& problem, std::uint64_t seed);

}  // namespace poet::testing
