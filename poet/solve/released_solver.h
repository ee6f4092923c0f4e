#pragma once

#include <memory>

#include "poet/solve/solver.h"

namespace poet {

// The formulation of the released POET code (ICML 2022; docs/model/released.md §1), for comparison.
// "Optimal" and "infeasible" speak of its own class of schedules, which is smaller than that of the
// event model: a tensor leaves RAM right after an operation that reads it, or between stages; it is
// written at the beginning of a stage and read at the end of one. Refuses problems that it cannot
// state (check_released).
std::unique_ptr<Solver> make_released_solver();

}  // namespace poet
