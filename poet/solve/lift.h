#pragma once

#include <vector>

#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/multipliers.h"
#include "poet/solve/step.h"

namespace poet {

// An event that is not in the set and by which some walk gets cheaper, and by how much.
struct PayingEvent {
  Event event;
  double gain = 0;
};

// A relaxation over few events says nothing of the others: with their use rows at sigma = 0 they
// would find their inputs in RAM for nothing, and recomputations that cost little would always
// seem to pay. This gives the missing events the sigma that they can bear: from the last event to
// the first, so that what an input is charged is passed on to what produces it, where producing a
// tensor at a missing event is cheaper than all walks over the set, each input is charged for being
// in RAM there, at most by what that costs its own walk beyond its cheapest. Writes
// multipliers.other_uses; returns the events whose inputs could not pay for them. The bound of the
// result never depends on this being right: any multipliers give one.
std::vector<PayingEvent> lift_missing_events(const Step& step, const EventSet& events,
                                             const std::vector<LaterNeed>& cuts,
                                             Multipliers& multipliers, EventObjective objective,
                                             double tolerance);
// The same events when nothing is charged: multipliers.other_uses stays 0.
std::vector<PayingEvent> paying_events(const Step& step, const EventSet& events,
                                       const std::vector<LaterNeed>& cuts,
                                       const Multipliers& multipliers, EventObjective objective,
                                       double tolerance);

}  // namespace poet
