#pragma once

#include "poet/solve/solver.h"

namespace poet {

// Plans for problems with further memories (docs/model/memories.md §4 and §5): schedules and bounds
// of the problem in which all memories are one RAM, and in less of it, by `solver`; the places of
// their buffers that cost least; and a bound by what the RAM cannot keep.
Result<SolveReport> plan_in_memories(const Problem& problem, const Solver& solver,
                                     const SolveOptions& options, const Stop& stop,
                                     const ProgressSink& progress);

// Why a problem has no schedule, where one RAM of all its memories has none for the reason of `no`:
// of the RAM budget nothing is known then but what all memories together lack, and what works in
// one RAM of all bytes, where access takes no time, need not work here.
Infeasibility of_all_memories(const Problem& problem, Infeasibility no);

}  // namespace poet
