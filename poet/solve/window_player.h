#pragma once

#include <vector>

#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"
#include "poet/solve/window_model.h"

namespace poet {

// The schedule that values of the model suggest: what comes in a window comes just before the first
// stage that needs it, and stays until the last. May need more RAM than there is.
EventChoice choice_of(const Step& step, const WindowModel& model,
                      const std::vector<double>& values);

}  // namespace poet
