#include "poet/solve/event_solver.h"
#include "poet/solve/released_solver.h"
#include "poet/solve/solver.h"

namespace poet {

const std::vector<SolverEntry>& solver_table() {
  static const std::vector<SolverEntry> table = {
      {"event", "exact: few events, priced against all others, proved over the whole problem",
       make_event_solver},
      {"released", "the formulation of the released POET code, for comparison",
       make_released_solver},
  };
  return table;
}

}  // namespace poet
