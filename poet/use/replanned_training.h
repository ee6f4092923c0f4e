#pragma once

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/use/train_network.h"

namespace poet {

// train_network() for a request with TrainRequest::replanning in one RAM budget. The first steps
// are measured; where the plan was made on other figures and a better one may be worth more than
// planning costs, PlannerBeside makes one while the training goes on, and between two steps it
// changes over, as it would to another budget: the numbers are those of any plan. A change that
// turns out slower is taken back. The figures are kept in the cache for a training with a
// checkpoint, which goes on with them when it is resumed
// (docs/decisions/0054-measured-and-planned-again.md).
Result<TrainReport> train_and_replan(const TrainRequest& request, const Stop& stop,
                                     const TrainEvents& events);

}  // namespace poet
