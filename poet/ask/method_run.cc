#include "poet/ask/method_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/ask/search_progress.h"
#include "poet/ask/status_name.h"
#include "poet/base/check.h"
#include "poet/problem/facts.h"
#include "poet/report/figure_text.h"
#include "poet/solve/event_choice.h"

namespace poet {
namespace {

// Differences of less than this part of the objective are rounding.
constexpr double kSumsRoundingRatio = 1e-9;

bool breaks(const Replay& replayed, Rule rule) {
  return std::any_of(replayed.findings.begin(), replayed.findings.end(),
                     [rule](const Finding& finding) { return finding.rule == rule; });
}

struct Judged {
  Schedule schedule;
  Replay replay;
};

std::optional<Judged> best_of(const Problem& problem, const std::vector<Schedule>& starts) {
  std::optional<Judged> best;
  for (const Schedule& start : starts) {
    Replay replayed = replay(problem, start);
    if (!replayed.valid()) continue;
    if (best && objective_of(problem, replayed) >= objective_of(problem, best->replay)) continue;
    if (is_in_class(problem, start)) best = Judged{start, std::move(replayed)};
  }
  return best;
}

void take(MethodRun& run, const Problem& problem, Judged judged) {
  run.schedule = std::move(judged.schedule);
  run.replay = std::move(judged.replay);
  run.in_class = is_in_class(problem, *run.schedule);
}

void take_over_limits(MethodRun& run, const Problem& problem, const Schedule& schedule) {
  take(run, problem, {schedule, replay(problem, schedule)});
  POET_CHECK(!run.replay.valid());
  if (breaks(run.replay, Rule::RamBudget)) {
    run.outcome = Outcome::OverRam;
    run.why = fmt::format("needs {} B of RAM", count_figure(run.replay.peak_ram_bytes));
  } else if (breaks(run.replay, Rule::Deadline) || breaks(run.replay, Rule::WorstCaseDeadline)) {
    run.outcome = Outcome::OverDeadline;
    run.why = fmt::format("takes {}", time_figure(run.replay.time_s));
  } else {
    run.outcome = Outcome::OverStorage;
    run.why = "writes more than storage takes";
  }
}

void take_answer(MethodRun& run, const Problem& problem, const SolveReport& report) {
  run.best_of_its_kind = report.best_of_its_kind || is_proved(report.status);
  if (run.best_of_its_kind)
    run.evidence = report.evidence == Evidence::None ? Evidence::Backend : report.evidence;
  run.backend = report.backend;
  run.effort = report.effort;
  run.notes = report.notes;
  if (report.best) {
    run.outcome = Outcome::Fits;
    take(run, problem, {*report.best, replay(problem, *report.best)});
    if (!run.replay.valid())  // a solver's word is not evidence
      check_failed(run.replay.findings[0].message.c_str(), __FILE__, __LINE__);
  } else if (report.status == SolveStatus::Infeasible) {
    run.outcome = Outcome::Infeasible;
    run.why = report.infeasibility ? "in this step, " + report.infeasibility->reason
                                   : "this step has no schedule";
  } else if (report.over_limits) {
    take_over_limits(run, problem, *report.over_limits);
  } else {
    run.why = "found nothing that keeps the limits";
  }
}

}  // namespace

Evidence evidence_of_bound(const Problem& problem, double bound) {
  const double sums = unavoidable_objective(problem);
  return bound <= sums + kSumsRoundingRatio * sums ? Evidence::Arithmetic : Evidence::Backend;
}

bool may_begin_with(const MethodEntry& method, const MethodRun& run) {
  return method.begins_with_a_schedule && run.fits() && run.in_class &&
         (method.pages || run.replay.paged_tensors == 0) &&
         (method.recomputes || run.replay.recomputed_operations == 0);
}

Result<MethodRun> run_method(const Problem& problem, const MethodEntry& method,
                             const std::vector<Schedule>& starts, const SolveOptions& options,
                             const Stop& stop, const ProgressSink& progress) {
  const double begin_s = stop.now_s();
  std::optional<Judged> start;
  SolveOptions begun = options;
  if (method.begins_with_a_schedule) start = best_of(problem, starts);
  if (start) begun.start = start->schedule;

  tell_new_search(progress, problem);
  const Result<SolveReport> solved = method.make()->solve(problem, begun, stop, progress);
  MethodRun run{.method = std::string(method.name)};
  run.plan_s = stop.now_s() - begin_s;
  run.ended_by_clock = stop.requested_outside();
  if (!solved.ok()) {
    if (solved.error().code != ErrorCode::Unsupported) return solved.error();
    run.outcome = Outcome::Unsupported;
    run.why = solved.error().message;
    return run;
  }
  take_answer(run, problem, *solved);
  if (run.outcome == Outcome::Stopped && stop.requested())
    run.why = "the time limit, or a stop, came before it had a schedule";
  if (!method.bounds_the_class) return run;
  if (run.outcome != Outcome::Infeasible) run.bound = solved->lower_bound;
  if (start &&
      (!run.fits() || objective_of(problem, start->replay) < objective_of(problem, run.replay))) {
    if (!run.fits()) {  // that nothing keeps the limits was wrong, or was not said
      run.best_of_its_kind = false;
      run.evidence = Evidence::None;
    }
    take(run, problem, *std::move(start));
    run.outcome = Outcome::Fits;
    run.why.clear();
  }
  return run;
}

}  // namespace poet
