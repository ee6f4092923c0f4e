#pragma once

#include "poet/solve/budget_solver.h"

namespace poet {

// The smallest RAM budget of a problem with further memories, these as they are
// (docs/model/memories.md §4.3 and §5.4): what is proved rests on sums and on all memories as one
// RAM, and what is found on schedules of the planner, in fewer and fewer bytes. The problem's own
// RAM budget and its objective are not looked at. Progress is in bytes. With a gap_ratio the search
// ends when at most that part of the budget is open. An Error when the backend is not available.
Result<BudgetReport> least_ram_in_memories(const Problem& problem, const SolveOptions& options,
                                           const Stop& stop, const ProgressSink& progress);

}  // namespace poet
