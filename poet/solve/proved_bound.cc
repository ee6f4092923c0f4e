// What the multipliers of a relaxation prove (docs/model/numbers.md §1.5), and what a backend's
// tolerances may hide (docs/model/numbers.md §1.6).
#include "poet/solve/proved_bound.h"

#include <algorithm>
#include <cmath>

#include "poet/solve/search_state.h"
#include "poet/solve/sum_rounding.h"

namespace poet {

double bound_proved_by(const std::vector<double>& row_duals, const LinearModel& model) {
  double bound = 0, sizes = 0;
  std::vector<double> reduced;
  for (const LinearColumn& column : model.columns) reduced.push_back(column.cost);
  std::vector<double> sizes_of = reduced;
  for (double& size : sizes_of) size = std::abs(size);
  for (std::size_t n = 0; n < model.rows.size(); ++n) {
    const LinearRow& row = model.rows[n];
    const double side = row_duals[n] > 0 ? row.lower : row.upper;
    if (row_duals[n] == 0 || !std::isfinite(side)) continue;  // of the wrong sign: rounding
    bound += row_duals[n] * side;
    sizes += std::abs(row_duals[n] * side);
    for (const LinearTerm& term : row.terms) {
      reduced[term.column] -= row_duals[n] * term.coefficient;
      sizes_of[term.column] += std::abs(row_duals[n] * term.coefficient);
    }
  }
  for (std::size_t j = 0; j < reduced.size(); ++j) {
    // What rounding may have made of it, to the worse side.
    const double margin = kSumRounding * sizes_of[j];
    const double at_lower = std::min((reduced[j] - margin) * model.columns[j].lower,
                                     (reduced[j] + margin) * model.columns[j].lower);
    if (reduced[j] - margin >= 0) {
      bound += at_lower;
      sizes += std::abs(at_lower);
      continue;
    }
    const double at_upper = std::min((reduced[j] - margin) * model.columns[j].upper,
                                     (reduced[j] + margin) * model.columns[j].upper);
    bound += std::min(at_lower, at_upper);
    sizes += std::max(std::abs(at_lower), std::abs(at_upper));
  }
  bound -= kSumRounding * sizes;
  return std::isnan(bound) ? -kInfinity : bound;
}

double backend_margin(const LinearModel& model) {
  // Of an overhead of 1,000: what 500 columns hide within a dual tolerance of 1e-9. Of a column:
  // half of what a tolerance of 1e-9 for whole numbers hides. Both are half of
  // SolveOptions::rounding_ratio.
  constexpr double kHidden = 5e-10;
  double dearest = kOverheadUnits;
  for (const LinearColumn& column : model.columns)
    dearest = std::max(dearest, std::abs(column.cost));
  return kHidden * dearest;
}

}  // namespace poet
