#pragma once

#include <memory>

#include "poet/solve/solver.h"

namespace poet {

// The event model of problem.md section 4, solved to a proof over every event. Overlapped problems
// are planned in Blocking and Free time, bounded in Free, and never called optimal.
std::unique_ptr<Solver> make_event_solver();

}  // namespace poet
