#pragma once

#include <cstdint>

#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/solve/budget_solver.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/search_state.h"
#include "poet/solve/solver.h"

namespace poet {

// What any schedule needs, residents not counted, is a whole number of these bytes.
std::int64_t gcd_of_sizes(const Step& step);

// The search behind solve_least_budget(), for a problem on which no limit is impossible by itself.
// `known_bytes`: proved already that no smaller budget works. The search ends when at most
// goal.gap_ratio of the bytes found is open. Progress is in bytes. In Overlapped mode transfers
// count as in Blocking.
LeastBudget least_budget(const Problem& problem, std::int64_t known_bytes, const SearchGoal& goal,
                         const LinearBackend& backend, const Stop& stop,
                         const ProgressSink& progress);

}  // namespace poet
