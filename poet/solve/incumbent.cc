// Checks and rounds what a backend calls a solution (docs/model/numbers.md §1.1).
#include "poet/solve/incumbent.h"

#include <cmath>
#include <utility>

namespace poet {
namespace {

constexpr double kTolerance = 1e-6;

bool within(double lower, double value, double upper, double tolerance) {
  return value >= lower - tolerance && value <= upper + tolerance;
}

// Whether every integer value was near a whole number, which it now is.
bool round_integers(const LinearModel& model, std::vector<double>& values) {
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (model.columns[j].kind != ColumnKind::Integer) continue;
    const double nearest = std::round(values[j]);
    if (!(std::abs(values[j] - nearest) <= kTolerance)) return false;
    values[j] = nearest;
  }
  return true;
}

bool keeps_bounds(const LinearModel& model, const std::vector<double>& values) {
  for (std::size_t j = 0; j < values.size(); ++j)
    if (!within(model.columns[j].lower, values[j], model.columns[j].upper, kTolerance))
      return false;
  return true;
}

bool keeps_row(const LinearRow& row, const std::vector<double>& values) {
  double activity = 0, size = 1;
  for (const LinearTerm& term : row.terms) {
    const double product = term.coefficient * values[term.column];
    activity += product;
    size += std::abs(product);
  }
  return within(row.lower, activity, row.upper, kTolerance * size);
}

}  // namespace

Incumbent incumbent_from(const LinearModel& model, std::vector<double> candidate) {
  if (candidate.size() != model.columns.size()) return {};
  if (!round_integers(model, candidate) || !keeps_bounds(model, candidate)) return {};
  for (const LinearRow& row : model.rows)
    if (!keeps_row(row, candidate)) return {};
  Incumbent incumbent{.objective = 0, .values = std::move(candidate)};
  for (std::size_t j = 0; j < model.columns.size(); ++j)
    incumbent.objective += model.columns[j].cost * incumbent.values[j];
  return incumbent;
}

}  // namespace poet
