#pragma once

#include "poet/base/stop.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/search_state.h"
#include "poet/solve/step.h"

namespace poet {

// The search for large steps (docs/model/search.md §8): a bound and schedules by prices, window
// models where they are not too large, then moves.
void search_large(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                  const Stop& stop, SearchState& state);

// Its beginning alone, a schedule and a bound by prices, for steps that are searched in other ways.
void begin_by_prices(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                     const Stop& stop, SearchState& state);

}  // namespace poet
