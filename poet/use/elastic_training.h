#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/use/train_network.h"

namespace poet {

// train_network() for a request with a least RAM budget: plans for each of its levels are there
// before the first step, and between two steps the training moves to the level that
// TrainRequest::ram_wishes want. To move it leaves its values in a file, gives back all its memory
// and takes them up in another arena: the numbers are those of any one budget
// (docs/decisions/0045-elastic-budgets.md).
Result<TrainReport> train_in_levels(const TrainRequest& request, const Stop& stop,
                                    const TrainEvents& events);

// plan_training() of each level.
Result<TrainReport> plan_levels(const TrainRequest& request, const Stop& stop,
                                const ProgressSink& progress);

}  // namespace poet
