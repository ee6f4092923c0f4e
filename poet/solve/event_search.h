#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/event_model.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/solver.h"
#include "poet/solve/step.h"
#include "poet/solve/tensor_walk.h"

namespace poet {

// What a search is after, and when it is good enough.
struct SearchGoal {
  EventObjective objective = EventObjective::Cost;
  double gap_ratio = 0;       // of the total: Step::once_cost included; of the bytes with RamBudget
  double rounding_ratio = 0;  // of the total
  std::int64_t max_nodes = 0;
  std::uint64_t seed = 1;
  int threads = 1;
  std::int64_t few_events = 250;  // as in SolveOptions
  std::int32_t first_depth = 3;
};

struct SearchAnswer {
  std::optional<EventChoice> best = {};
  double value = 0;           // of `best`: cost beyond once_cost, or bytes of RAM
  double bound = -kInfinity;  // no schedule of the class has less
  bool infeasible = false;    // proved: no schedule of the class exists
  SolveEffort effort = {};
  std::vector<std::string> notes = {};
};

// The exact method of solver.md: a relaxation over a set of events that pricing grows, a bound over
// all events, cover inequalities, and integer programs over what price cannot discard. `start`: a
// choice that keeps every budget.
SearchAnswer search_events(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                           std::optional<EventChoice> start, const Stop& stop,
                           const ProgressSink& progress);

}  // namespace poet
