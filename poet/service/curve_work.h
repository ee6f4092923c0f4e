#pragma once

#include "poet/service/work.h"

namespace poet {

// Energy and time of several methods over RAM budgets (docs/formats/service.md, "Curves"). A stop
// ends it with the points that are there.
WorkOutput curve_work(const WorkOrder& order, const PlanRequest& plan, const Stop& stop,
                      const ProgressLine& progress);

}  // namespace poet
