#pragma once

#include <optional>
#include <string>

#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/solve/event_search.h"
#include "poet/solve/solver.h"

namespace poet {

// What can be seen to be impossible without searching: a working set above the RAM budget, a
// deadline shorter than one execution of every operation, homes above the storage capacity, updates
// above the write budget. All of it is so of every schedule, of whatever class. Names what is known
// to work without searching, too, where that is asked for: of the class of the event model.
enum class WhatWorks { IsNamed, IsLeftOut };
std::optional<Infeasibility> plainly_infeasible(const Problem& problem,
                                                WhatWorks works = WhatWorks::IsNamed);

// "no deadline below 16 s works, and 17 s is the shortest found to work"; empty where nothing is
// known of deadlines.
std::string deadline_clause(const Infeasibility& no);

// The sentence about a problem whose deadline is what uncertain costs leave of the one that was
// asked for. The times of `no` are of the worst case, those of `by_the_figures` are not.
std::string in_the_worst_case(const Problem& problem, const Infeasibility& no,
                              const std::string& by_the_figures);

// What plainly_infeasible() said, with a smaller RAM budget that works where a search finds one,
// and a larger one that does not where it proves that.
Infeasibility with_smaller_budget(const Problem& problem, Infeasibility no, const SearchGoal& goal,
                                  const LinearBackend& backend, const Stop& stop);

// The figures for a problem that is infeasible for another reason: which budget, alone, would have
// to give way, and how far. Searches for the least RAM budget and, with a deadline, for the least
// time; `stop` bounds both.
Infeasibility explain_infeasible(const Problem& problem, const SearchGoal& goal,
                                 const LinearBackend& backend, const Stop& stop);

}  // namespace poet
