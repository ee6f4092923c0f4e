// What is kept and said of the best schedule (docs/model/problem.md §2.6, §2.7).
#include "poet/overlap/best_found.h"

#include <algorithm>
#include <optional>

#include "poet/problem/facts.h"
#include "poet/solve/allowed_gap.h"
#include "poet/verify/replay.h"

namespace poet {

void keep_if_better(const Problem& problem, const Schedule& schedule, SolveReport& report) {
  const Replay replayed = replay(problem, schedule);
  if (!replayed.valid()) return;
  const double objective = objective_of(problem, replayed);
  if (report.best && objective >= report.objective) return;
  report.best = schedule;
  report.objective = objective;
}

void pass_on(SolveProgress news, const SolveReport& report, const ProgressSink& progress) {
  if (!progress) return;
  news.incumbent = report.best ? std::optional(report.objective) : std::nullopt;
  news.bound = report.lower_bound;
  progress(news);
}

void conclude(const SolveOptions& options, double unavoidable, SolveReport& report) {
  if (report.best) report.lower_bound = std::min(report.lower_bound, report.objective);
  report.status = status_of(report, options, unavoidable);
  const bool is_plain = report.best && report.objective - unavoidable <=
                                           allowed_gap(options, report.objective, unavoidable);
  report.evidence = report.status != SolveStatus::Optimal ? Evidence::None
                    : is_plain                            ? Evidence::Arithmetic
                                                          : Evidence::Backend;
}

}  // namespace poet
