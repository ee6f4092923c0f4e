#pragma once

#include <memory>

#include "poet/solve/solver.h"

namespace poet {

// The event model of docs/model/event-model.md §2, solved to a proof over every event. Refuses
// overlapped transfers, which its times are no measure of: poet/overlap plans with it in other time
// modes.
std::unique_ptr<Solver> make_event_solver();

}  // namespace poet
