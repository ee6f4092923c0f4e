#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// A schedule to begin a search with; nothing when it breaks a limit, which is a warning.
struct StartSchedule {
  std::optional<Schedule> schedule = {};
  std::vector<std::string> warnings = {};
};

// The schedule of a plan, made for whatever limits, for a problem with the same operations and
// tensors; refuses a plan of others.
Result<StartSchedule> start_from_plan(const std::string& path, const Problem& problem);

}  // namespace poet
