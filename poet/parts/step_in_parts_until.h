#pragma once

#include <cstdint>

#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/parts/step_in_parts.h"

namespace poet {

// step_in_parts(), given up once `stop` ends it from outside: large steps take seconds. Then the
// sentence says so, and nothing is known of that size. Effort that was counted does not end it.
Result<StepInParts> step_in_parts_until(const TrainingGraph& whole, std::int64_t most_bytes,
                                        const KnownCuts& known, std::int64_t most_parts,
                                        const Stop& stop);

// That sentence.
inline Failure stopped_while_cut() {
  return bad_input("the search was ended before the step was in parts of this size");
}

}  // namespace poet
