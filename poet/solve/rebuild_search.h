#pragma once

#include <cstdint>

#include "poet/base/stop.h"
#include "poet/solve/search_state.h"
#include "poet/solve/step.h"

namespace poet {

struct RebuildOptions {
  std::uint64_t seed = 1;
  std::int64_t most_tries = 300'000;  // of moves
  bool twins = true;  // what was better is tried where the network repeats itself (alike_stages.h)
};

// Better schedules from the best so far, for large steps: everything that comes back in some stages
// stays instead, and greedy moves (greedy_moves.h) by one rule or another make it fit again; what
// is dearer than before is taken back. Never makes the answer worse, and says nothing of bounds.
// Does nothing for a schedule that keeps tensors resident.
void rebuild_parts(const Step& step, const RebuildOptions& options, const Stop& stop,
                   SearchState& state);

}  // namespace poet
