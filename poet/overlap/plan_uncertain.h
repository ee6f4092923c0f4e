#pragma once

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/solve/solver.h"

namespace poet {

// Plans a problem whose costs may be above their figures with a solver for certain ones
// (docs/model/problem.md §4.4).
//
// Every schedule that keeps the deadline of the worst case keeps that by the figures, so bounds and
// certificates of the problem by its figures hold. Where all costs may be above them the two are
// the same. Otherwise the schedule that is found may be late in the worst case; then others are
// looked for under shorter deadlines, the best of which is Optimal only within the allowed gap of
// the bound.
Result<SolveReport> plan_uncertain(const Problem& problem, const Solver& solver,
                                   const SolveOptions& options, const Stop& stop,
                                   const ProgressSink& progress);

}  // namespace poet
