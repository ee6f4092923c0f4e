#pragma once

#include "poet/base/stop.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/search_state.h"
#include "poet/solve/step.h"

namespace poet {

// Better schedules from the best so far, which must be there: what it does in a few neighbouring
// stages is freed, the rest held, and the event model over both solved again; from stage to stage,
// and over more stages at once when that leads no further. Never makes the answer worse, and says
// nothing of bounds. `most_nodes`: of branch and bound, over all integer programs.
void search_locally(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                    std::int64_t most_nodes, const Stop& stop, SearchState& state);

}  // namespace poet
