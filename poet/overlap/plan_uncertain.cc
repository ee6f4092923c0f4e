// Schedules that are in time in the worst case (docs/model/problem.md §4.4).
#include "poet/overlap/plan_uncertain.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/base/duration_text.h"
#include "poet/overlap/best_found.h"
#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/infeasibility.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// So many shorter deadlines are tried where the schedule by the figures is late.
constexpr int kMostDeadlines = 6;
// Of the time that is left, for one search that others may follow.
constexpr double kPartOfSearch = 0.5;
// Deadlines that are nearer to each other than this part of one are the same.
constexpr double kSameDeadline = 1e-6;

// By the figures "no" is said of a deadline that the user never gave, and of ones that nobody can
// give.
void retell(const Problem& problem, Infeasibility& no) {
  if (!problem.uncertainty->deadline_s || !problem.deadline_s) return;
  if (no.least_time_s) no.least_time_s = least_worst_s(problem, *no.least_time_s);
  if (no.working_time_s) no.working_time_s = *no.working_time_s * (1 + problem.uncertainty->ratio);
  if (no.kind != Infeasibility::Kind::Deadline && no.kind != Infeasibility::Kind::Combined) return;
  no.reason = in_the_worst_case(problem, no, no.reason);
}

class UncertainPlanner {
 public:
  UncertainPlanner(const Problem& problem, const Solver& solver, const SolveOptions& options,
                   const Stop& stop, const ProgressSink& progress)
      : problem_(problem),
        figures_(by_the_figures(problem)),
        solver_(solver),
        options_(options),
        stop_(stop),
        progress_(progress),
        unavoidable_(unavoidable_objective(problem)) {}

  Result<SolveReport> run() {
    const bool may_be_late = problem_.deadline_s && problem_.uncertainty->deviations;
    const Stop first = may_be_late ? part_of(stop_, kPartOfSearch) : stop_;
    Result<SolveReport> solved = solver_.solve(figures_, options_, first, progress_);
    if (!solved.ok()) return solved;
    if (solved->infeasibility) retell(problem_, *solved->infeasibility);
    if (!may_be_late || !solved->best) return solved;
    const std::optional<double> late_s = lateness_s(*solved->best);
    if (!late_s) return solved;
    report_ = *std::move(solved);
    report_.best.reset();
    report_.objective = 0;
    if (options_.start) offer(*options_.start);
    if (Failure failure = look_for_schedules(*late_s)) return *failure;
    return finished();
  }

 private:
  // Beyond the deadline of the worst case; nothing for a schedule that keeps it.
  std::optional<double> lateness_s(const Schedule& schedule) const {
    const Replay replayed = replay(problem_, schedule);
    if (replayed.valid()) return std::nullopt;
    return replayed.worst_case->time_s - *problem_.uncertainty->deadline_s;
  }

  // What takes no longer than `enough_s` by the figures is in time whichever costs are above them;
  // the best schedule within `missed_s` is late.
  Failure look_for_schedules(double late_s) {
    const double enough_s = *problem_.uncertainty->deadline_s / (1 + problem_.uncertainty->ratio);
    double kept_s = enough_s, missed_s = *problem_.deadline_s;
    double asked_s = missed_s - late_s;
    for (int k = 1; k <= kMostDeadlines && !is_done() && !stop_.requested(); ++k) {
      if (k == kMostDeadlines && !report_.best) asked_s = enough_s;
      if (asked_s <= kept_s) asked_s = k == 1 ? enough_s : (kept_s + missed_s) / 2;
      if (missed_s - asked_s <= kSameDeadline * missed_s && k > 1) break;
      const Result<SolveReport> solved = solve(asked_s);
      if (!solved.ok()) return solved.error();
      const std::optional<double> late =
          solved->best ? lateness_s(*solved->best) : std::optional<double>();
      if (solved->best) offer(*solved->best);
      (late ? missed_s : kept_s) = asked_s;
      asked_s = late ? asked_s - *late : (kept_s + missed_s) / 2;
    }
    return std::nullopt;
  }

  Result<SolveReport> solve(double deadline_s) {
    Problem asked = figures_;
    asked.deadline_s = deadline_s;
    SolveOptions options = options_;
    options.certificate = CertificateEffort::None;
    if (report_.best) options.start = report_.best;
    Result<SolveReport> solved =
        solver_.solve(asked, options, part_of(stop_, kPartOfSearch),
                      [this](const SolveProgress& news) { pass_on(news, report_, progress_); });
    if (!solved.ok()) return solved;
    report_.effort.add(solved->effort);
    return solved;
  }

  void offer(const Schedule& schedule) { keep_if_better(problem_, schedule, report_); }

  bool is_done() const {
    return status_of(report_, options_, unavoidable_) == SolveStatus::Optimal;
  }

  SolveReport finished() {
    conclude(options_, unavoidable_, report_);
    if (!report_.best)
      report_.notes.push_back(
          fmt::format("no schedule was found that keeps the deadline of {} where {}",
                      exact_seconds(*problem_.uncertainty->deadline_s),
                      uncertainty_words(*problem_.uncertainty)));
    return std::move(report_);
  }

  const Problem& problem_;
  const Problem figures_;
  const Solver& solver_;
  const SolveOptions& options_;
  const Stop& stop_;
  const ProgressSink& progress_;
  double unavoidable_ = 0;
  SolveReport report_ = {};
};

}  // namespace

Result<SolveReport> plan_uncertain(const Problem& problem, const Solver& solver,
                                   const SolveOptions& options, const Stop& stop,
                                   const ProgressSink& progress) {
  return UncertainPlanner(problem, solver, options, stop, progress).run();
}

}  // namespace poet
