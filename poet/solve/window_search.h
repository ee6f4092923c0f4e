#pragma once

#include "poet/solve/linear_backend.h"
#include "poet/solve/search_state.h"
#include "poet/solve/step.h"

namespace poet {

// Bounds and schedules from window models (window_model.h): the model with the most crowded stage
// as its only key first. Where the schedule that a model suggests needs more RAM than there is, the
// next model looks; when it needs no more anywhere, the relaxation's optimum is one of the problem.
// In between, what a model keeps in RAM at its keys is held fixed while new keys make the
// suggestion whole: schedules early.
void search_windows(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                    const Stop& stop, SearchState& state);

}  // namespace poet
