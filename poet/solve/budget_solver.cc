// The smallest RAM budget of a problem in any time mode: least_budget.cc does the search
// (docs/model/search.md §6.2).
#include "poet/solve/budget_solver.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "poet/problem/facts.h"
#include "poet/solve/certify_impossible.h"
#include "poet/solve/infeasibility.h"
#include "poet/solve/least_budget.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/search_state.h"

namespace poet {
namespace {

// Of the time that is left, for the proof where it is another search than that for a schedule.
constexpr double kProofShare = 0.3;

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

// `asked` of the problem, whose transfers take no time in Overlapped mode.
Result<std::optional<Certificate>> certified(const Problem& problem, const Impossible& asked,
                                             const SolveOptions& options, const Stop& stop) {
  Result<std::unique_ptr<LinearBackend>> backend =
      open_backend(options.backend, options.library_directories);
  if (!backend) return backend.error();
  Problem proved = problem;
  proved.time_mode = proof_time_mode(problem.time_mode);
  std::optional<Certificate> certificate =
      certify_impossible(proved, asked, **backend, CertifyLimits(), stop);
  if (!certificate) return certificate;
  certificate->instance = certified_instance(problem);
  certificate->claimed_by =
      std::string("event, ") + std::string((*backend)->name()) + " " + (*backend)->version();
  return certificate;
}

}  // namespace

Problem with_all_ram(Problem problem) {
  problem.ram_budget_bytes = std::int64_t{1} << 61;
  return problem;
}

Result<std::optional<Certificate>> certify_least_budget(const Problem& problem, std::int64_t bytes,
                                                        const SolveOptions& options,
                                                        const Stop& stop) {
  return certified(problem, {.claim = Claim::LeastRam, .claimed_bytes = bytes}, options, stop);
}

Result<std::optional<Certificate>> certify_no_budget(const Problem& problem,
                                                     const SolveOptions& options,
                                                     const Stop& stop) {
  const Problem asked = with_all_ram(problem);
  Result<std::optional<Certificate>> certificate = certified(asked, {}, options, stop);
  if (certificate.ok() && *certificate) (*certificate)->problem = asked;
  return certificate;
}

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
