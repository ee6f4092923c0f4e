#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "poet/api/instance.h"
#include "poet/api/plan_request.h"
#include "poet/base/result.h"
#include "poet/solve/budget_solver.h"

namespace poet {

// With --updates auto the step that is planned depends on the RAM budget: the less there is, the
// more weights are updated by slices. A level is the budgets that have one step, from `least_bytes`
// on (nothing is planned in less: an operation alone needs that), and below `below_bytes`.
struct UpdateLevel {
  Instance instance = {};  // as instance_at_any_budget() makes it
  std::int64_t least_bytes = 0;
  std::int64_t below_bytes = std::numeric_limits<std::int64_t>::max();

  bool has(std::int64_t budget_bytes) const {
    return budget_bytes >= least_bytes && budget_bytes < below_bytes;
  }
};

// All levels of a request, whatever its budget, from the largest budgets to the smallest: each
// begins where the one before it ends. One, where the budget does not change the step. A table of
// costs that has none of updates by slices ends them, with a warning in the last level's instance.
Result<std::vector<UpdateLevel>> update_levels(const PlanRequest& request);

// The same, and behind them the step with every weight that can be by slices, where no level has
// it: what alone needs less may need more with all that is alive beside it. What stands there has
// the step's own `least_bytes`, and no budget of its own. These are all steps that --updates auto
// may take.
Result<std::vector<UpdateLevel>> steps_of_updates(const PlanRequest& request);

// The least RAM budget over all levels.
struct LeastOverLevels {
  BudgetReport solved = {};  // of all levels together
  std::size_t level = 0;     // whose step the schedule is of
};

// What finds the least budget of one level's problem.
using LeastBudgetFinder = std::function<Result<BudgetReport>(const Problem&)>;

// The least budget at which some step has a schedule: one with more slices does in any larger
// budget as well. `levels` are some of steps_of_updates(), from the largest budgets to the
// smallest, without a gap.
Result<LeastOverLevels> least_over_levels(const std::vector<UpdateLevel>& levels,
                                          const LeastBudgetFinder& find);

}  // namespace poet
