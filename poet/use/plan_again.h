#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/solve/solver.h"
#include "poet/use/replan_choice.h"
#include "poet/use/train_network.h"

namespace poet {

// What planning again came to.
struct PlannedAgain {
  std::string no = {};                        // why there is no other plan
  PlanCost in_use = {};                       // the plan in use, by the measured figures
  PlanCost other = {};                        // the one that was made with them; without `no`
  double planning_s = 0;                      // by the clock of the stop
  std::optional<double> transfer_ratio = {};  // StepFigures::transfer_ratio, to be used with them
};

// Plans the training of a request with figures (TrainRequest::figures) again, keeps the plans in
// its cache, and says what they and those in use cost in a step, the latter being the ones that the
// cache has for the request without the figures. Of transfers that ran beside the processor no
// times show: they are taken to be slower or faster than the device says by one ratio, with which
// the schedule in use takes as long as its steps did. Refuses a request whose plans in use are not
// in the cache.
Result<PlannedAgain> plan_again(const TrainRequest& request, const Stop& stop,
                                const ProgressSink& progress);

// As one process tells another.
std::string planned_again_text(const PlannedAgain& planned);
Result<PlannedAgain> parse_planned_again(std::string_view text, const std::string& file);

}  // namespace poet
