#pragma once

#include <cstddef>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/steps.h"
#include "poet/base/stop.h"
#include "poet/solve/solver.h"

namespace poet {

// Those steps in parts of which an operation alone needs least, whatever the budget: from coarse to
// fine, each finer than the last, until nothing is cut any further. At most `most` of them, the
// last ones.
std::vector<Instance> finest_parts(QuestionSteps& steps, std::size_t most, const Stop& stop,
                                   const ProgressSink& progress);

}  // namespace poet
