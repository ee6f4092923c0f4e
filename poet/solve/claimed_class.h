#pragma once

#include <string>

#include "poet/problem/schedule_class.h"
#include "poet/solve/solver.h"

namespace poet {

// The schedules that a method's "optimal" and "infeasible" speak of, in words: those of the
// released formulation are fewer than those of the event model.
inline std::string claimed_class_text(const Problem& problem, const SolveReport& solved) {
  if (solved.method != "released") return schedule_class_text(problem);
  return "what the released formulation can state: within a stage, re-executions in increasing "
         "order, and what is read or dropped only between its operations as its rows allow";
}

}  // namespace poet
