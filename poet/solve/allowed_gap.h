#pragma once

#include <algorithm>
#include <cmath>

#include "poet/solve/solver.h"

namespace poet {

// Whoever asks for no gap at all is not given one of the total either.
inline double total_gap_ratio_of(const SolveOptions& options) {
  return options.gap_ratio > 0 ? options.total_gap_ratio : 0;
}

// How far a bound may be below the objective of a schedule that counts as proved best.
// `unavoidable`: the part of the objective that every schedule has (docs/model/problem.md §2.5).
inline double allowed_gap(const SolveOptions& options, double objective, double unavoidable) {
  const double overhead = std::max(0.0, objective - unavoidable);
  const double total = std::abs(objective);
  return std::max(options.gap_ratio * overhead, total_gap_ratio_of(options) * total) +
         options.rounding_ratio * total;
}

// Optimal or Feasible for a report with a schedule, Unknown for one without.
inline SolveStatus status_of(const SolveReport& report, const SolveOptions& options,
                             double unavoidable) {
  if (!report.best) return SolveStatus::Unknown;
  const double gap = report.objective - report.lower_bound;
  return gap <= allowed_gap(options, report.objective, unavoidable) ? SolveStatus::Optimal
                                                                    : SolveStatus::Feasible;
}

}  // namespace poet
