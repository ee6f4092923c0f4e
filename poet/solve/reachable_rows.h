#pragma once

#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/step.h"
#include "poet/solve/window_model.h"

namespace poet {

// Lowers what rows on bytes allow (RAM, storage, writes) to the most that the sizes in the row can
// add up to (reachable_sums.h). What each schedule says of the columns stays: they are 0 or 1 in
// it, those that need not be whole as well. Fractions that fill up what no schedule can fill are
// cut off. Models that ask for the least RAM budget are left as they are.
void lower_to_reachable_sums(WindowModel& model);

// A chain takes its bytes once at an event, whether it stays or is read, and an input of a certain
// event takes them surely. For integer programs: walks (tensor_walk.h) count the whole budget, so
// that multipliers from the lowered rows prove less.
void lower_to_reachable_sums(const Step& step, const EventSet& events, EventModel& model);

}  // namespace poet
