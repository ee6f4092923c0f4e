#pragma once

#include <memory>
#include <vector>

#include "poet/solve/solver.h"

namespace poet {

// The event solver in every time mode: problems with overlapped transfers go through
// plan_overlapped() (plan_overlapped.h), those whose costs may be above their figures through
// plan_uncertain() (plan_uncertain.h), and those with several memories through plan_in_memories()
// (plan_in_memories.h).
std::unique_ptr<Solver> make_planner();

// What plans are made with: one row per formulation, in the order in which help shows them; the
// first is the default.
const std::vector<SolverEntry>& planner_table();

}  // namespace poet
