#include "poet/ask/minimum.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/ask/make_plan.h"
#include "poet/ask/search_progress.h"
#include "poet/ask/solver_names.h"
#include "poet/ask/status_name.h"
#include "poet/ask/steps.h"
#include "poet/ask/stop_warning.h"
#include "poet/base/check.h"
#include "poet/base/duration_text.h"
#include "poet/base/message_text.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/solve/budget_solver.h"

namespace poet {
namespace {

// Why nothing was found where no limit is impossible by itself.
std::string no_budget_works(const Problem& problem) {
  if (problem.deadline_s)
    return fmt::format("no schedule keeps the deadline of {}, however much RAM there is",
                       exact_seconds(*problem.deadline_s));
  return "no schedule keeps the limits on storage, however much RAM there is";
}

void explain_stop(const Stop& stop, MinimumReport& report) {
  if (is_proved(report.status)) return;
  if (report.problem.time_mode == TimeMode::Overlapped && report.plan)
    report.warnings.push_back(
        "with overlapped transfers the bound leaves out what must wait for what: less RAM may not "
        "do "
        "although that is not proved");
  if (std::optional<std::string> warning = search_warning(stop))
    report.warnings.push_back(*std::move(warning));
}

// Beyond its RAM nobody promises that a schedule is good: the plan claims only that it is valid.
Plan plan_of(const MinimumReport& report, Schedule schedule) {
  const Unavoidable least = unavoidable(report.problem);
  const bool energy = report.problem.objective == Objective::Energy;
  Plan plan{
      .origin = report.question.origin,
      .proof = {std::string(status_name(SolveStatus::Feasible)), "event", report.backend,
                energy ? least.energy_j : least.time_s},
      .problem = report.problem,
      .schedule = std::move(schedule),
      .buffers = {},
  };
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  return plan;
}

// solve_least_budget() knows no schedule that keeps a deadline only because its transfers run
// beside the processor. Between what is proved and what it found, such schedules are looked for in
// a few budgets; only where a bound says so does that prove that less will not do.
Failure look_between(const Question& question, const Problem& problem, const Stop& stop,
                     LeastBudget& least) {
  constexpr int kMostBudgets = 6;
  if (problem.time_mode != TimeMode::Overlapped || !problem.deadline_s ||
      least.status == SolveStatus::Infeasible)
    return std::nullopt;
  Problem asked = problem;
  std::int64_t low_bytes = least.proved_bytes;
  std::int64_t high_bytes = least.found_bytes.value_or(plain_peak_bytes(problem) + 1);
  for (int k = 0; k < kMostBudgets && low_bytes < high_bytes && !stop.requested(); ++k) {
    asked.ram_budget_bytes = low_bytes + (high_bytes - low_bytes) / 2;
    SolveOptions options = question.solve;
    options.start = least.schedule;
    const Result<SolveReport> solved =
        make_planner()->solve(asked, options, part_of(stop, 0.5), {});  // its figures are joules
    if (!solved.ok()) return solved.error();
    if (!solved->best) {
      low_bytes = asked.ram_budget_bytes + 1;
      if (solved->status == SolveStatus::Infeasible) least.proved_bytes = low_bytes;
      continue;
    }
    high_bytes = replay(asked, *solved->best).peak_ram_bytes;
    least.found_bytes = high_bytes;
    least.schedule = solved->best;
    least.status = high_bytes == least.proved_bytes ? SolveStatus::Optimal : SolveStatus::Feasible;
  }
  return std::nullopt;
}

// Anybody can see that no budget is below a working set; that no other does is the backend's word.
// `needed_bytes`: an operation of every step that may be taken needs so much by itself.
Evidence evidence_of(std::int64_t needed_bytes, const BudgetReport& solved) {
  if (!is_proved(solved.least.status)) return Evidence::None;
  const bool is_plain = solved.least.status == SolveStatus::Infeasible
                            ? solved.infeasibility.has_value()
                            : *solved.least.found_bytes <= needed_bytes;
  return is_plain ? Evidence::Arithmetic : Evidence::Backend;
}

// A solver's word is not evidence: what it returns is replayed before anybody sees it.
void take(BudgetReport solved, std::int64_t needed_bytes, MinimumReport& report) {
  LeastBudget& least = solved.least;
  report.status = least.status;
  report.evidence = evidence_of(needed_bytes, solved);
  report.proved_bytes = least.proved_bytes;
  report.found_bytes = least.found_bytes;
  report.effort = least.effort;
  report.backend = std::move(solved.backend);
  if (least.status == SolveStatus::Infeasible)
    report.why_not =
        solved.infeasibility ? solved.infeasibility->reason : no_budget_works(report.problem);
  if (!least.schedule) return;
  report.problem.ram_budget_bytes = *least.found_bytes;
  report.replay = replay(report.problem, *least.schedule);
  if (!report.replay.valid()) {
    const std::string first = "the schedule is valid: " + report.replay.findings[0].message;
    check_failed(first.c_str(), __FILE__, __LINE__);
  }
  report.found_s = report.replay.time_s;
  report.plan = plan_of(report, *std::move(least.schedule));
}

Result<MinimumReport> find_least_ram(Question question, const Stop& stop,
                                     const ProgressSink& progress, const WarningSink& early) {
  const double begin_s = stop.now_s();
  QuestionSteps steps(question);
  Result<std::vector<UpdateLevel>> levels = steps_of_question(steps, stop, progress);
  if (!levels.ok()) return levels.error();
  const Result<BackendChoice> choice =
      choose_backend(*question.solver, question.solve.library_directories);
  if (!choice.ok()) return choice.error();
  MinimumReport report{.asked = MinimumReport::Asked::LeastRam,
                       .question = question,
                       .costs = levels->back().instance.costs,
                       .warnings = levels->back().instance.warnings};
  report.question.solve.backend = choice->backend;
  report.warnings.insert(report.warnings.end(), choice->warnings.begin(), choice->warnings.end());
  if (early)
    for (const std::string& warning : report.warnings) early(warning);
  const double prepared_s = stop.now_s();
  const double counted_before = stop.counted();
  Result<LeastOverLevels> least =
      least_over_levels(*levels, [&](const Problem& problem) -> Result<BudgetReport> {
        tell_new_search_of_ram(progress);
        Result<BudgetReport> solved =
            solve_least_budget(problem, report.question.solve, stop, progress);
        if (!solved.ok()) return solved;
        if (Failure failure = look_between(report.question, problem, stop, solved->least))
          return *failure;
        return solved;
      });
  if (!least.ok()) return least.error();
  const double solved_s = stop.now_s();
  const bool ended_by_clock = stop.requested_outside();
  const std::int64_t needed_bytes =
      std::min_element(
          levels->begin(), levels->end(),
          [](const UpdateLevel& a, const UpdateLevel& b) { return a.least_bytes < b.least_bytes; })
          ->least_bytes;
  Instance& instance = (*levels)[least->level].instance;
  report.problem = std::move(instance.problem);
  report.problem.ram_budget_bytes = 0;  // what was found, where anything was
  report.updates = std::move(instance.updates);
  report.parts = std::move(instance.parts);
  report.question.origin.part_bytes = report.parts.part_bytes;
  take(std::move(least->solved), needed_bytes, report);
  explain_stop(stop, report);
  report.timing = {prepared_s - begin_s, solved_s - prepared_s, stop.now_s() - solved_s,
                   (stop.counted() - counted_before) / kEffortUnitsPerSecond, ended_by_clock};
  const std::optional<Device>& device = instance.device;
  if (report.found_bytes && device && report.proved_bytes > device->ram_bytes)
    report.warnings.push_back(fmt::format("{} has {} bytes of RAM, and no schedule {} with that",
                                          device->name, grouped_digits(device->ram_bytes),
                                          report.parts.by_budget ? "was found that does" : "does"));
  return report;
}

// Least time is an objective that solving knows.
Result<MinimumReport> find_least_deadline(Question question, const Stop& stop,
                                          const ProgressSink& progress, const WarningSink& early) {
  question.objective = Objective::Time;
  Result<PlanReport> solved = make_plan(question, stop, progress, early);
  if (!solved.ok()) return solved.error();
  MinimumReport report{.asked = MinimumReport::Asked::LeastTime,
                       .question = std::move(solved->question),
                       .costs = std::move(solved->costs),
                       .updates = std::move(solved->updates),
                       .parts = std::move(solved->parts),
                       .problem = std::move(solved->problem),
                       .status = solved->solve.status,
                       .evidence = solved->solve.evidence,
                       .proved_s = std::max(solved->solve.lower_bound, solved->unavoidable_s),
                       .plan = std::move(solved->plan),
                       .replay = std::move(solved->replay),
                       .effort = solved->solve.effort,
                       .backend = std::move(solved->solve.backend),
                       .timing = solved->timing,
                       .warnings = std::move(solved->warnings)};
  report.proved_bytes = report.problem.ram_budget_bytes;
  if (solved->solve.infeasibility) report.why_not = solved->solve.infeasibility->reason;
  if (!report.plan) return report;
  report.found_bytes = report.replay.peak_ram_bytes;
  report.found_s = report.replay.time_s;
  report.problem.deadline_s = report.plan->problem.deadline_s = report.replay.time_s;
  return report;
}

}  // namespace

Result<MinimumReport> find_minimum(const Question& question, const Stop& stop,
                                   const ProgressSink& progress, const WarningSink& early) {
  if (!question.ram_budget) return find_least_ram(question, stop, progress, early);
  if (question.deadline)
    return bad_input(
        "a RAM budget asks for the shortest deadline, and a deadline for the smallest RAM budget; "
        "give one of them");
  return find_least_deadline(question, stop, progress, early);
}

}  // namespace poet
