#pragma once

#include <optional>

#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/solver.h"

namespace poet {

struct QuickSchedule {
  Schedule schedule = {};
  double objective = 0;
};

// What is found in a moment, however large the step is, by which steps are held against each other;
// nothing where nothing is. The search counts its effort, so that it finds the same on every
// machine.
std::optional<QuickSchedule> quick_schedule(const SolveOptions& options, const Problem& problem,
                                            const Stop& stop);

// The same of a search of a second, for steps of which a moment says too little.
std::optional<QuickSchedule> longer_schedule(const SolveOptions& options, const Problem& problem,
                                             const Stop& stop);

}  // namespace poet
