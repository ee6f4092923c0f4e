#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/autodiff/training_options.h"
#include "poet/base/json_out_fwd.h"
#include "poet/graph/graph.h"

namespace poet {

// How a step updates its weights: which space of plans an answer speaks of.
struct StepUpdates {
  std::optional<Updates> asked = {};     // none: the graph is not differentiated by POET
  std::vector<std::string> sliced = {};  // the weights that are updated by slices, by their names
};

StepUpdates updates_of(const Graph& graph, Updates asked);

// "auto: no slices, as separate updates fit", "auto: by slices for conv1.weight, fc1.weight" (all
// others are separate), "separate", or nothing where the step is not POET's.
std::string updates_text(const StepUpdates& updates);

// The same as a line of figures; nothing where the text is empty.
std::string updates_line(const StepUpdates& updates);

// {"asked": "auto", "sliced": [...]}, or null.
JsonOut updates_json(const StepUpdates& updates);

}  // namespace poet
