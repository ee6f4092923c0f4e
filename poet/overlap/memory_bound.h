#pragma once

#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/solve/linear_backend.h"

namespace poet {

// A lower bound on the objective of every schedule, from what the RAM cannot keep
// (docs/model/memories.md §4.2): of a problem with further memories. The multipliers are a
// backend's, and the bound is computed from them in our own arithmetic, so that wrong ones prove
// less and nothing false. At least unavoidable_objective().
double memory_bound(const Problem& problem, const LinearBackend& backend, const Stop& stop);

// The same of time, whatever the problem makes least: where it is later than the deadline, beyond
// what sums of doubles may be off by, no schedule keeps that.
double least_time_in_memories(const Problem& problem, const LinearBackend& backend,
                              const Stop& stop);
bool is_beyond_deadline(const Problem& problem, double least_time_s);

// The same from any multipliers, one for each operation: for tests.
double memory_bound_of(const Problem& problem, const std::vector<double>& multipliers);

}  // namespace poet
