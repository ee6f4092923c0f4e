// The exact method from end to end: what is impossible, first schedules, the search, what is
// claimed and by what evidence (docs/model/search.md §1.1, docs/model/problem.md §2.7).
#include "poet/solve/event_solver.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/certify_impossible.h"
#include "poet/solve/event_search.h"
#include "poet/solve/fitted_start.h"
#include "poet/solve/greedy_paging.h"
#include "poet/solve/greedy_recomputation.h"
#include "poet/solve/infeasibility.h"
#include "poet/solve/proof_sources.h"
#include "poet/solve/write_certificate.h"

namespace poet {
namespace {

class EventSolver final : public Solver {
 public:
  std::string_view name() const override { return "event"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions& options, const Stop& stop,
                            const ProgressSink& progress) const override {
    if (problem.time_mode == TimeMode::Overlapped)
      return Error{ErrorCode::Unsupported, "the event model cannot state overlapped transfers", {}};
    Result<std::unique_ptr<LinearBackend>> backend =
        open_backend(options.backend, options.library_directories);
    if (!backend) return backend.error();
    SolveReport report = plan(problem, options, **backend, stop, progress);
    report.method = name();
    report.backend = std::string((*backend)->name()) + " " + (*backend)->version();
    if (report.certificate) report.certificate->claimed_by = report.method + ", " + report.backend;
    return report;
  }

 private:
  // Of the time that is left, for the search when its proof is to be written down as well.
  static constexpr double kSearchPart = 0.7;
  // Of the rest, for the proof that there is no schedule: what would work is looked for after it.
  static constexpr double kProofPart = 0.7;
  static constexpr double kCheapPart = 0.2;
  // Seconds at most on networks of a thousand operations; most certificates need less.
  static constexpr CertifyLimits kCheap = {
      .most_relaxations = 200, .most_iterations = 20'000, .most_cut_rounds = 40};

  static Stop to_explain(const SolveOptions& options, const Stop& stop) {
    return std::isfinite(options.most_effort_to_explain_s)
               ? with_own_effort(stop, options.most_effort_to_explain_s)
               : stop;
  }

  static SolveReport plan(const Problem& problem, const SolveOptions& options,
                          const LinearBackend& backend, const Stop& stop,
                          const ProgressSink& progress) {
    SolveReport report;
    if (std::optional<Infeasibility> no = plainly_infeasible(problem)) {
      report.status = SolveStatus::Infeasible;
      report.evidence = Evidence::Arithmetic;
      report.infeasibility =
          with_smaller_budget(problem, *std::move(no), goal_of(options), backend, stop);
      if (options.certificate != CertificateEffort::None)
        report.certificate = certificate_without_parts(problem);
      return report;
    }
    const Step step = make_step(problem);
    SearchGoal goal = goal_of(options);
    goal.unavoidable = unavoidable_objective(problem) - step.once_cost;
    goal.keeps_sources = options.certificate != CertificateEffort::None;
    const bool keeps_time = options.certificate == CertificateEffort::Whole;
    const Stop sooner = part_of(stop, keeps_time ? kSearchPart : 1);
    SearchAnswer answer = search_events(step, goal, backend,
                                        start_of(problem, step, options, sooner), sooner, progress);
    report.effort = answer.effort;
    report.notes = std::move(answer.notes);
    if (answer.infeasible) {
      report.status = SolveStatus::Infeasible;
      report.evidence = Evidence::Backend;
      if (options.certificate != CertificateEffort::None)
        report.certificate =
            certify_impossible(problem, {.keys = std::move(answer.sources.impossible)}, backend,
                               keeps_time ? CertifyLimits() : kCheap,
                               part_of(stop, keeps_time ? kProofPart : kCheapPart));
      report.infeasibility = explain_infeasible(problem, goal, backend, to_explain(options, stop));
      return report;
    }
    report.lower_bound = std::max(unavoidable_objective(problem), step.once_cost + answer.bound);
    if (answer.best) {
      report.best = to_schedule(step, *answer.best);
      report.objective = step.once_cost + answer.value;
      report.lower_bound = std::min(report.lower_bound, report.objective);
    }
    report.status = status_of(report, options, unavoidable_objective(problem));
    report.evidence = evidence_of(report, options, unavoidable_objective(problem));
    // What prices prove has no certificate yet.
    const bool has_sources =
        answer.priced_bound == -kInfinity || answer.priced_bound < answer.bound ||
        (answer.sources.windows && answer.sources.windows->bound >= answer.bound);
    if (!has_sources) {
      if (options.certificate == CertificateEffort::Whole)
        report.notes.push_back("no certificate can be written of the prices that bound this step");
    } else if (options.certificate == CertificateEffort::Whole)
      certify(report, problem, step, answer.sources, backend, sooner, stop);
    else if (options.certificate == CertificateEffort::Cheap &&
             report.evidence == Evidence::Backend)
      report.certificate = write_certificate(problem, step, answer.sources, report.lower_bound,
                                             backend, kCheap, stop);
    return report;
  }

  // Sums over the problem say that there is no schedule.
  static Certificate certificate_without_parts(const Problem& problem) {
    return {.instance = certified_instance(problem), .claim = Claim::Infeasible};
  }

  static Evidence evidence_of(const SolveReport& report, const SolveOptions& options,
                              double unavoidable) {
    if (report.status != SolveStatus::Optimal) return Evidence::None;
    const bool is_plain =
        report.objective - unavoidable <= allowed_gap(options, report.objective, unavoidable);
    return is_plain ? Evidence::Arithmetic : Evidence::Backend;
  }

  // `sooner`: when the search had to end.
  static void certify(SolveReport& report, const Problem& problem, const Step& step,
                      const ProofSources& sources, const LinearBackend& backend, const Stop& sooner,
                      const Stop& stop) {
    const bool cut_short = report.status != SolveStatus::Optimal && sooner.requested();
    report.certificate = write_certificate(problem, step, sources, report.lower_bound, backend,
                                           CertifyLimits(), stop);
    // Who looks at `stop` would not see it.
    if (cut_short && !stop.requested())
      report.notes.push_back(
          "the search ended before it was complete, to leave time for its certificate; a larger "
          "--time-limit-s goes further");
  }

  // The cheapest of what is at hand.
  static std::optional<EventChoice> start_of(const Problem& problem, const Step& step,
                                             const SolveOptions& options, const Stop& stop) {
    const std::optional<EventChoice> plain = from_schedule(problem, step, plain_schedule(problem));
    if (plain && keeps_budgets(step, figures_of(step, *plain))) return plain;
    std::vector<std::optional<EventChoice>> starts;
    if (options.start) starts.push_back(callers_start(problem, step, *options.start, stop));
    starts.push_back(greedy_paging(step));
    if (options.techniques.greedy && step.stages() <= options.large_stages)
      starts.push_back(greedy_recomputation(step, options.threads, stop));
    return cheapest(step, std::move(starts));
  }

  static std::optional<EventChoice> callers_start(const Problem& problem, const Step& step,
                                                  const Schedule& start, const Stop& stop) {
    std::optional<EventChoice> choice = from_schedule(problem, step, start);
    return choice ? fitted_start(step, *std::move(choice), stop) : choice;
  }

  static std::optional<EventChoice> cheapest(const Step& step,
                                             std::vector<std::optional<EventChoice>> starts) {
    std::optional<EventChoice> best;
    double best_cost = 0;
    for (std::optional<EventChoice>& start : starts) {
      if (!start) continue;
      const ChoiceFigures figures = figures_of(step, *start);
      if (!keeps_budgets(step, figures) || (best && figures.cost >= best_cost)) continue;
      best_cost = figures.cost;
      best = std::move(start);
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<Solver> make_event_solver() {
  return std::make_unique<EventSolver>();
}

}  // namespace poet
