#pragma once

#include <memory>

#include "poet/solve/solver.h"

namespace poet {

// The best with one technique alone: the event model with the other ruled out, for the problem's
// own objective.
std::unique_ptr<Solver> make_paging_alone();
std::unique_ptr<Solver> make_rematerialisation_alone();

// Checkmate (Jain et al., MLSys 2020): optimal rematerialisation, the least time under the RAM
// budget. Its model is ours without paging (same class of schedules), so ours solves it. It knows
// no deadline.
std::unique_ptr<Solver> make_checkmate();

}  // namespace poet
