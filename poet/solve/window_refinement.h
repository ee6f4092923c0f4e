#pragma once

#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"
#include "poet/solve/window_model.h"

namespace poet {

// The stage that has to leave room for the most: where a window model begins.
WindowKeys first_keys(const Step& step);

// About `count` keys over the stages that cannot keep everything: where room for the most has to be
// left, then where it has to be left for the most of what is not near a key, and so on.
WindowKeys spread_keys(const Step& step, std::int32_t count);

// Keys where the schedule that a window model suggests needs more RAM than there is: the model did
// not look there. The same keys when it looked everywhere that matters.
enum class Refinement {
  Careful,  // a few keys, far apart: for a model over the whole problem
  Fast,     // wherever it is needed: for a model most of which is fixed
};
WindowKeys refined_keys(const Step& step, const WindowKeys& keys, const EventChoice& suggested,
                        Refinement refinement);

}  // namespace poet
