#pragma once

#include <optional>

#include "poet/solve/event_choice.h"
#include "poet/solve/interval_prices.h"
#include "poet/solve/keep_intervals.h"
#include "poet/solve/step.h"

namespace poet {

// A schedule by paging alone (docs/model/intervals.md §3): what is worth most for what its room
// costs at these prices is kept, as long as it fits; everything else is read back. Nothing where
// that breaks a budget.
std::optional<EventChoice> pack_intervals(const Step& step, const KeepIntervals& intervals,
                                          const IntervalPrices& prices);

}  // namespace poet
