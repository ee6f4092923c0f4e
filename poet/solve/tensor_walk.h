#pragma once

#include <vector>

#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/multipliers.h"
#include "poet/solve/step.h"

namespace poet {

// What relaxing the memory, use, sharing and budget rows and the cuts leaves: one walk per chain.
struct WalkBound {
  // No schedule costs less beyond Step::once_cost. With EventObjective::RamBudget: no schedule
  // needs fewer bytes.
  double bound = 0;
  // For an event with k < t: a schedule in which it happens costs at least bound + price. What it
  // makes is walked through the event, what it reads through RAM at the event.
  EventPrices run_price;
};

// The bound of docs/model/bounds.md §1.3, over every event of the class, in the set or not.
WalkBound walk_bound(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
                     const Multipliers& multipliers, EventObjective objective);

}  // namespace poet
