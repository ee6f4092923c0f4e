#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "poet/api/instance.h"
#include "poet/api/plan_instance.h"
#include "poet/api/plan_request.h"
#include "poet/api/search_progress.h"
#include "poet/api/solver_names.h"
#include "poet/api/start_plan.h"
#include "poet/api/status_name.h"
#include "poet/api/stop_warning.h"
#include "poet/api/training_step.h"
#include "poet/api/update_levels.h"
#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/budget_solver.h"

namespace poet {
namespace {

Result<std::unique_ptr<Solver>> make_solver(const std::string& formulation) {
  std::vector<std::string_view> names;
  for (const SolverEntry& entry : planner_table()) {
    if (entry.name == formulation) return entry.make();
    names.push_back(entry.name);
  }
  return Error{
      ErrorCode::NotFound,
      fmt::format("unknown formulation '{}'{}", formulation, suggestion(formulation, names)),
      {}};
}

// A solver's word is not evidence: what it returns is replayed before anybody sees it.
void check_or_abort(const PlanReport& report) {
  if (!report.replay.valid()) {
    const std::string first = "the schedule is valid: " + report.replay.findings[0].message;
    check_failed(first.c_str(), __FILE__, __LINE__);
  }
  const double objective =
      report.problem.objective == Objective::Energy ? report.replay.energy_j : report.replay.time_s;
  const double margin = report.request.solve.rounding_ratio * std::abs(objective);
  POET_CHECK(std::abs(report.solve.objective - objective) <= margin);
  POET_CHECK(report.solve.lower_bound <= objective + margin);
}

Plan plan_of(const PlanReport& report) {
  const Schedule& schedule = *report.solve.best;
  return Plan{
      .origin = {report.request.model, report.request.platform, graph_of(report.request),
                 report.request.command},
      .proof = {std::string(status_name(report.solve.status)), report.solve.method,
                report.solve.backend, report.solve.lower_bound},
      .problem = report.problem,
      .schedule = schedule,
      .buffers = buffers_of(report.problem, schedule),
  };
}

// Why a certificate must not be believed, if it must not: the verifier does not follow it, or it
// rules out the schedule at hand.
std::optional<std::string> fault_of(const PlanReport& report, const CertificateCheck& check) {
  if (check.fault) return check.fault;
  const double margin = report.request.solve.rounding_ratio * std::abs(report.solve.objective);
  if (report.solve.best && check.proved_bound > report.solve.objective + margin)
    return "it rules out the schedule that was found";
  return std::nullopt;
}

// A broken certificate costs the word "optimal", never the schedule.
void withdraw_proof(PlanReport& report, const std::string& fault) {
  report.solve.certificate.reset();
  if (report.solve.status == SolveStatus::Optimal) {
    report.solve.status = SolveStatus::Feasible;
    report.solve.evidence = Evidence::None;
  }
  report.solve.lower_bound = unavoidable_objective(report.problem);
  report.warnings.push_back(
      fmt::format("the certificate does not hold ({}), so nothing is claimed of the best; please "
                  "report this",
                  fault));
}

void verify_certificate(PlanReport& report) {
  CertificateCheck check = check_certificate(report.problem, *report.solve.certificate);
  if (const std::optional<std::string> fault = fault_of(report, check)) {
    withdraw_proof(report, *fault);
    return;
  }
  const double unavoidable = unavoidable_objective(report.problem);
  const double allowed = allowed_gap(report.request.solve, report.solve.objective, unavoidable);
  if (report.solve.evidence == Evidence::Backend && report.solve.best &&
      report.solve.objective - check.proved_bound <= allowed)
    report.solve.evidence = Evidence::Certificate;
  report.certificate = std::move(check);
}

void verify(PlanReport& report) {
  if (is_proved(report.solve.status) && report.solve.evidence == Evidence::None)
    report.solve.evidence = Evidence::Backend;
  if (report.solve.certificate) verify_certificate(report);
  if (!report.solve.best) return;
  report.replay = replay(report.problem, *report.solve.best);
  check_or_abort(report);
  report.plan = plan_of(report);
}

void explain_stop(const Stop& stop, PlanReport& report) {
  if (is_proved(report.solve.status)) return;
  if (report.problem.time_mode == TimeMode::Overlapped && report.plan)
    report.warnings.push_back(
        "with overlapped transfers the bound leaves out what must wait for what: the schedule may "
        "be "
        "the best without being proved so");
  if (std::optional<std::string> warning = search_warning(stop))
    report.warnings.push_back(*std::move(warning));
}

Failure take_start(PlanReport& report) {
  const PlanRequest& request = report.request;
  if (!request.start_path) return std::nullopt;
  Result<StartSchedule> start = start_from_plan(*request.start_path, report.problem);
  if (!start.ok()) return start.error();
  if (request.formulation != planner_table().front().name)
    start->warnings = {
        fmt::format("the {} formulation does not begin with a schedule, so --start "
                    "is ignored",
                    request.formulation)};
  report.request.solve.start = std::move(start->schedule);
  report.warnings.insert(report.warnings.end(), start->warnings.begin(), start->warnings.end());
  return std::nullopt;
}

}  // namespace

Result<PlanReport> plan_instance(const PlanRequest& request, Instance instance, const Stop& stop,
                                 const ProgressSink& progress, const WarningSink& early) {
  const Result<std::unique_ptr<Solver>> solver = make_solver(request.formulation);
  if (!solver.ok()) return solver.error();
  const Result<BackendChoice> choice =
      choose_backend(request.solver, request.solve.library_directories);
  if (!choice.ok()) return choice.error();

  PlanReport report{.request = request, .problem = std::move(instance.problem)};
  report.request.solve.backend = choice->backend;
  report.costs = std::move(instance.costs);
  report.updates = std::move(instance.updates);
  report.warnings = std::move(instance.warnings);
  report.warnings.insert(report.warnings.end(), choice->warnings.begin(), choice->warnings.end());
  if (Failure failure = take_start(report)) return *failure;
  if (early)
    for (const std::string& warning : report.warnings) early(warning);
  const double prepared_s = stop.now_s();
  const double counted_before = stop.counted();

  tell_new_search(progress, report.problem);
  Result<SolveReport> solved =
      (*solver)->solve(report.problem, report.request.solve, stop, progress);
  if (!solved.ok()) return solved.error();
  report.solve = *std::move(solved);
  report.warnings.insert(report.warnings.end(), report.solve.notes.begin(),
                         report.solve.notes.end());
  const double solved_s = stop.now_s();
  const bool ended_by_clock = stop.requested_outside();

  verify(report);
  explain_stop(stop, report);
  const Unavoidable least = unavoidable(report.problem);
  report.unavoidable_j = least.energy_j;
  report.unavoidable_s = least.time_s;
  report.timing = {0, solved_s - prepared_s, stop.now_s() - solved_s,
                   (stop.counted() - counted_before) / kEffortUnitsPerSecond, ended_by_clock};
  return report;
}

namespace {

// Whether less of a step at a time can help: not where computing alone takes too long.
bool may_need_slices(const PlanReport& report) {
  if (!report.solve.infeasibility || report.updates.asked != Updates::Auto) return false;
  const Infeasibility& no = *report.solve.infeasibility;
  return no.kind == Infeasibility::Kind::RamBudget || no.kind == Infeasibility::Kind::Combined;
}

// The answer about all steps that the request may take at this budget, where the one of `report`
// has none: with more weights updated by slices there may be a schedule. From more to less RAM.
Result<PlanReport> with_more_slices(const PlanRequest& request, const Stop& stop,
                                    const ProgressSink& progress, PlanReport report,
                                    std::vector<UpdateLevel>& levels) {
  const std::int64_t budget_bytes = report.problem.ram_budget_bytes;
  bool is_tried = true;  // the first level that fits is the report's own
  for (UpdateLevel& level : levels) {
    if (level.least_bytes > budget_bytes || std::exchange(is_tried, false)) continue;
    Instance instance = level.instance;
    instance.problem.ram_budget_bytes = budget_bytes;
    Result<PlanReport> less = plan_instance(request, std::move(instance), stop, progress);
    if (!less.ok()) return less;
    less->timing.solve_s += report.timing.solve_s;
    less->timing.verify_s += report.timing.verify_s;
    less->timing.effort_s += report.timing.effort_s;
    less->solve.effort.add(report.solve.effort);
    report = *std::move(less);
    if (report.solve.status != SolveStatus::Infeasible) return report;
  }
  return report;
}

// A refusal is of one step: the budgets that it names are those of all steps together.
Failure name_budgets_of_all_steps(const std::vector<UpdateLevel>& levels, const Stop& stop,
                                  PlanReport& report) {
  Infeasibility& no = *report.solve.infeasibility;
  const bool is_of_two_limits = no.kind == Infeasibility::Kind::Combined && no.operation;
  if (is_of_two_limits || levels.size() == 1) return std::nullopt;
  SolveOptions options = report.request.solve;
  options.gap_ratio = 0;
  const Result<LeastOverLevels> least = least_over_levels(levels, [&](const Problem& problem) {
    return solve_least_budget(problem, options, stop, {});
  });
  if (!least.ok()) return least.error();
  if (least->solved.least.status == SolveStatus::Infeasible) return std::nullopt;
  no.least_budget_bytes = least->solved.least.proved_bytes;
  no.working_budget_bytes = least->solved.least.found_bytes;
  no = retold(report.problem, std::move(no));
  return std::nullopt;
}

}  // namespace

PlanRequest with_cheap_certificate(PlanRequest request) {
  if (request.solve.certificate == CertificateEffort::None)
    request.solve.certificate = CertificateEffort::Cheap;
  return request;
}

Result<PlanReport> plan_over_updates(const PlanRequest& request, Instance instance,
                                     const Stop& stop, const ProgressSink& progress,
                                     const WarningSink& early) {
  Result<PlanReport> report = plan_instance(request, std::move(instance), stop, progress, early);
  if (!report.ok() || !may_need_slices(*report)) return report;
  Result<std::vector<UpdateLevel>> levels = steps_of_updates(request);
  if (!levels.ok()) return levels.error();
  report = with_more_slices(request, stop, progress, *std::move(report), *levels);
  if (!report.ok() || report->solve.status != SolveStatus::Infeasible) return report;
  const double begin_s = stop.now_s();
  const double counted_before = stop.counted();
  if (Failure failure = name_budgets_of_all_steps(*levels, stop, *report)) return *failure;
  report->timing.solve_s += stop.now_s() - begin_s;
  report->timing.effort_s += (stop.counted() - counted_before) / kEffortUnitsPerSecond;
  report->timing.ended_by_clock = report->timing.ended_by_clock || stop.requested_outside();
  return report;
}

Result<PlanReport> make_plan(const PlanRequest& request, const Stop& stop,
                             const ProgressSink& progress, const WarningSink& early) {
  const double begin_s = stop.now_s();
  Result<Instance> instance = make_instance(request);
  if (!instance.ok()) return instance.error();
  const double prepared_s = stop.now_s();
  Result<PlanReport> report = plan_over_updates(with_cheap_certificate(request),
                                                *std::move(instance), stop, progress, early);
  if (report.ok()) report->timing.prepare_s = prepared_s - begin_s;
  return report;
}

}  // namespace poet
