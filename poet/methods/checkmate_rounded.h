#pragma once

#include <memory>

#include "poet/solve/solver.h"

namespace poet {

// Checkmate's approximation (Jain et al., MLSys 2020, section 5.2): the linear relaxation of
// optimal rematerialisation is rounded in two phases, deterministically and at random. Rounding can
// need more RAM than the relaxation, so that is solved for (1 - epsilon) times the budget (theirs:
// 0.1).
//
// The relaxation is that of the event model without paging, not their matrices of T x T: it speaks
// of the same schedules and is no weaker, and solves faster. Where all events are too many, it has
// those of few steps back; rounding may add any.
std::unique_ptr<Solver> make_checkmate_rounded();

}  // namespace poet
