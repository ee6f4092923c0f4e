#pragma once

#include <optional>

#include "poet/base/stop.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"

namespace poet {

// A choice that was made for more RAM than there is, made to fit: while RAM is too small anywhere,
// the stay ends that costs least for what it takes away (docs/model/search.md §2.3), and all else
// stays as it is. One that needs no more RAM is returned as it is; nothing where it cannot be made
// to fit, or not soon.
std::optional<EventChoice> fitted_start(const Step& step, EventChoice choice, const Stop& stop);

}  // namespace poet
