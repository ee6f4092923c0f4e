#include "poet/ask/figures.h"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

// Below this part of the objective a difference is rounding, and no gap (docs/model/problem.md
// §2.5).
constexpr double kNoGapRatio = 1e-9;

// Nothing when all of a difference that is no rounding lies below what cannot be avoided.
std::optional<double> overhead_gap(double objective, double bound, double overhead) {
  if (objective - bound <= kNoGapRatio * objective) return 0.0;
  if (overhead <= 0) return std::nullopt;
  return (objective - bound) / overhead;
}

}  // namespace

Figures figures_of(const PlanReport& report) {
  Figures figures;
  const bool energy = report.problem.objective == Objective::Energy;
  const double bound = report.solve.lower_bound;
  const bool bounded = report.solve.status != SolveStatus::Infeasible && std::isfinite(bound);
  if (bounded) (energy ? figures.lower_bound_j : figures.lower_bound_s) = bound;
  if (bounded && report.certificate && report.certificate->holds())
    figures.certified_bound = std::min(bound, report.certificate->proved_bound);
  if (!report.plan) return figures;

  figures.overhead_j = report.replay.energy_j - report.unavoidable_j;
  figures.overhead_s = report.replay.time_s - report.unavoidable_s;
  if (!bounded) return figures;
  const double objective = energy ? report.replay.energy_j : report.replay.time_s;
  const double gap = objective > 0 ? (objective - bound) / objective : 0.0;
  figures.gap = gap > kNoGapRatio ? gap : 0.0;
  const double overhead = energy ? *figures.overhead_j : *figures.overhead_s;
  figures.overhead_gap = overhead_gap(objective, bound, overhead);
  if (figures.certified_bound)
    figures.certified_overhead_gap = overhead_gap(objective, *figures.certified_bound, overhead);
  return figures;
}

}  // namespace poet
