// The smallest RAM budget of a problem in any time mode: least_budget.cc does the search
// (docs/model/search.md §6.2).
#include "poet/solve/budget_solver.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "poet/problem/facts.h"
#include "poet/solve/infeasibility.h"
#include "poet/solve/least_budget.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/search_state.h"

namespace poet {
namespace {

// Of the time that is left, for the proof where it is another search than that for a schedule.
constexpr double kProofShare = 0.3;

// With more RAM than anyone could use.
Problem with_all_ram(Problem problem) {
  problem.ram_budget_bytes = std::int64_t{1} << 61;
  return problem;
}

LeastBudget least_overlapped(Problem problem, const SearchGoal& goal, const LinearBackend& backend,
                             const Stop& stop, const ProgressSink& progress) {
  problem.time_mode = TimeMode::Free;
  const LeastBudget free =
      least_budget(problem, 0, goal, backend, part_of(stop, kProofShare), progress);
  if (free.status == SolveStatus::Infeasible) return free;
  problem.time_mode = TimeMode::Blocking;
  LeastBudget least = least_budget(problem, free.proved_bytes, goal, backend, stop, progress);
  // That nothing smaller works when the processor waits proves nothing.
  least.proved_bytes = free.proved_bytes;
  if (!least.found_bytes)
    least.status = SolveStatus::Unknown;
  else
    least.status =
        least.found_bytes == least.proved_bytes ? SolveStatus::Optimal : SolveStatus::Feasible;
  return least;
}

}  // namespace

Result<BudgetReport> solve_least_budget(const Problem& problem, const SolveOptions& options,
                                        const Stop& stop, const ProgressSink& progress) {
  Result<std::unique_ptr<LinearBackend>> backend =
      open_backend(options.backend, options.library_directories);
  if (!backend) return backend.error();
  BudgetReport report;
  report.backend = std::string((*backend)->name()) + " " + (*backend)->version();
  report.least.proved_bytes = largest_working_set(problem).bytes;
  report.infeasibility = plainly_infeasible(with_all_ram(problem));
  if (report.infeasibility)
    report.least.status = SolveStatus::Infeasible;
  else if (problem.time_mode == TimeMode::Overlapped)
    report.least = least_overlapped(problem, goal_of(options), **backend, stop, progress);
  else
    report.least = least_budget(problem, 0, goal_of(options), **backend, stop, progress);
  return report;
}

}  // namespace poet
