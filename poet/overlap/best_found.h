#pragma once

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/solver.h"

namespace poet {

// What planners do alike that solve problems beside their own: the report is of `problem`, the
// schedules come from the others.

// Takes a schedule into the report where it is valid and costs less than the best so far.
void keep_if_better(const Problem& problem, const Schedule& schedule, SolveReport& report);

// News of a search for another problem, with the best and the bound of the report.
void pass_on(SolveProgress news, const SolveReport& report, const ProgressSink& progress);

// Status and evidence, by the bound (docs/model/problem.md §2.6, §2.7): arithmetic where the
// schedule costs no more than what is unavoidable, and otherwise the word of the backend.
void conclude(const SolveOptions& options, double unavoidable, SolveReport& report);

}  // namespace poet
