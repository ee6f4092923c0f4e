#pragma once

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/solve/solver.h"

namespace poet {

// Plans an Overlapped problem with a solver for Free and Blocking problems:
//
// 1. Bounds: the problem with shared time (stand_in_problems.h) for several shares. Without a
//    deadline, idle power and an objective in time the share 1 says it all: waiting costs nothing
//    then.
// 2. Schedules: the best of each of these, and of problems with less RAM or less time, which leave
//    room for reads that are issued early; each with its reads where the replay is best
//    (issue_reads.h).
//
// The bound is valid for every schedule of the class, and a schedule within the allowed gap of it
// is Optimal. Without one the answer is Infeasible where a bound proves that, and Unknown else.
Result<SolveReport> plan_overlapped(const Problem& problem, const Solver& solver,
                                    const SolveOptions& options, const Stop& stop,
                                    const ProgressSink& progress);

}  // namespace poet
