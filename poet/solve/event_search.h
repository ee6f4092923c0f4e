#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/search_state.h"
#include "poet/solve/solver.h"
#include "poet/solve/step.h"

namespace poet {

// The exact method: window models first (window_search.h), and where they leave a gap that of
// docs/model/search.md §5: a relaxation over a set of events that pricing grows, a bound over all
// events, cover inequalities, and integer programs over what price cannot discard. `start`: a
// choice that keeps every budget.
SearchAnswer search_events(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                           std::optional<EventChoice> start, const Stop& stop,
                           const ProgressSink& progress);

}  // namespace poet
