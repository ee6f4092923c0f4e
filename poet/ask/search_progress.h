#pragma once

#include "poet/problem/problem.h"
#include "poet/solve/solver.h"

namespace poet {

// Says that a search begins, of which the problem's objective is made least, or, as the second
// says, RAM: no figure of an earlier one is of it.
void tell_new_search(const ProgressSink& progress, const Problem& problem);
void tell_new_search_of_ram(const ProgressSink& progress);

}  // namespace poet
