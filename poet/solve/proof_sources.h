#pragma once

#include <optional>
#include <vector>

#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/linear_model.h"
#include "poet/solve/multipliers.h"
#include "poet/solve/window_model.h"

namespace poet {

// The walk that proved most (tensor_walk.h).
struct WalkSource {
  EventSet events;
  std::vector<LaterNeed> cuts = {};
  Multipliers multipliers = {};
  double bound = 0;  // beyond Step::once_cost
};

// The window model that proved most, by its keys.
struct WindowSource {
  WindowKeys keys = {};
  double cost_unit = 1;
  double bound = 0;  // beyond Step::once_cost, as the backend says
};

// What a search keeps of its proofs when it is asked to, for a certificate.
struct ProofSources {
  std::optional<WalkSource> walk = {};
  std::optional<WindowSource> windows = {};
  // The keys of a window model that has no solution, where one said that there is no schedule.
  std::optional<WindowKeys> impossible = {};
};

}  // namespace poet
