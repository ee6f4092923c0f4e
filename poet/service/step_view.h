#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/plan/plan.h"

namespace poet {

// One step of a plan, replayed, as the page draws it: the format "poet-step", version 1
// (docs/formats/service.md). Lists of numbers instead of objects and runs instead of cells, so that
// 10,000 operations take a few megabytes. Refuses a plan whose schedule breaks rules other than
// limits.
Result<std::string> step_view(const Plan& plan);

}  // namespace poet
