// Takes the best of the schedules that a method comes up with, judged by the verifier's replay
// (docs/model/problem.md §2.6).
#include "poet/methods/proposals.h"

#include <algorithm>
#include <tuple>

#include "poet/problem/facts.h"

namespace poet {

void Proposals::offer(const Schedule& schedule) {
  last_ = replay(problem_, schedule);
  if (last_.valid()) {
    if (best_ && objective_of(problem_, last_) >= objective_) return;
    best_ = schedule;
    objective_ = objective_of(problem_, last_);
    return;
  }
  if (!breaks_only_limits(last_)) return;
  const std::int64_t excess_bytes =
      std::max<std::int64_t>(0, last_.peak_ram_bytes - problem_.ram_budget_bytes);
  if (nearest_ &&
      std::tie(nearest_excess_bytes_, nearest_time_s_) <= std::tie(excess_bytes, last_.time_s))
    return;
  nearest_ = schedule;
  nearest_excess_bytes_ = excess_bytes;
  nearest_time_s_ = last_.time_s;
}

SolveReport Proposals::report(std::string_view method) const {
  SolveReport report;
  report.method = method;
  report.lower_bound = unavoidable_objective(problem_);
  if (best_) {
    report.status = SolveStatus::Feasible;
    report.best = best_;
    report.objective = objective_;
    report.lower_bound = std::min(report.lower_bound, report.objective);
  } else {
    report.over_limits = nearest_;
  }
  return report;
}

}  // namespace poet
