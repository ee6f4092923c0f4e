#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/greedy_moves.h"
#include "poet/solve/search_state.h"
#include "poet/solve/step.h"

namespace poet {

// Networks repeat blocks: layers of the same shapes, one after the other, and their gradients in
// the opposite order. Stages are alike where their operations have the same costs, sizes and wiring
// over a few edges.
class AlikeStages {
 public:
  explicit AlikeStages(const Step& step);

  // Other places where as many stages are alike one by one, apart from `where`; ascending.
  std::vector<StageRange> twins_of(const StageRange& where) const;

 private:
  std::vector<std::int32_t> kinds_ = {};                   // per stage: alike where equal
  std::vector<std::vector<std::int32_t>> stages_of_ = {};  // per kind, ascending
};

struct RebuildOptions {
  std::uint64_t seed = 1;
  std::int64_t most_tries = 300'000;  // of moves
  bool twins = true;  // what was better is tried where the network repeats itself (AlikeStages)
};

// Better schedules from the best so far, for large steps: everything that comes back in some stages
// stays instead, and greedy moves (greedy_moves.h) by one rule or another make it fit again; what
// is dearer than before is taken back. Never makes the answer worse, and says nothing of bounds.
// Does nothing for a schedule that keeps tensors resident.
void rebuild_parts(const Step& step, const RebuildOptions& options, const Stop& stop,
                   SearchState& state);

}  // namespace poet
