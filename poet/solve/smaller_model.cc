// Takes out of a linear model what needs no solver (docs/model/numbers.md §1.3).
#include "poet/solve/smaller_model.h"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

constexpr int kMostPasses = 20;
// Rows hold within this part of the size of their terms; bounds move only by more.
constexpr double kTolerance = 1e-9;

struct Activity {
  double least = 0;
  double most = 0;
  double size = 1;  // of the terms, for tolerances
};

class Reducer {
 public:
  explicit Reducer(const LinearModel& model) : model_(model), columns_(model.columns) {
    needed_.assign(model.rows.size(), true);
  }

  SmallerModel run() {
    bool more = true;
    for (int pass = 0; pass < kMostPasses && more && !infeasible_; ++pass) {
      more = false;
      for (std::size_t n = 0; n < model_.rows.size() && !infeasible_; ++n)
        if (needed_[n] && look_at(n)) more = true;
    }
    return write();
  }

 private:
  Activity activity_of(const LinearRow& row) const {
    Activity activity;
    for (const LinearTerm& term : row.terms) {
      const LinearColumn& column = columns_[term.column];
      const double low = term.coefficient * column.lower, high = term.coefficient * column.upper;
      activity.least += std::min(low, high);
      activity.most += std::max(low, high);
      activity.size += std::abs(term.coefficient);
    }
    return activity;
  }

  // True when a bound moved.
  bool look_at(std::size_t n) {
    const LinearRow& row = model_.rows[n];
    const Activity activity = activity_of(row);
    const double slack = kTolerance * activity.size;
    if (activity.least > row.upper + slack || activity.most < row.lower - slack) {
      infeasible_ = true;
      return false;
    }
    if (activity.least >= row.lower && activity.most <= row.upper) {
      needed_[n] = false;
      return false;
    }
    bool moved = false;
    for (const LinearTerm& term : row.terms) moved = tighten(row, term, activity) || moved;
    return moved;
  }

  // Fixes a 0-1 column whose other value the row does not allow.
  bool tighten(const LinearRow& row, const LinearTerm& term, const Activity& activity) {
    LinearColumn& column = columns_[term.column];
    const bool is_binary =
        column.kind == ColumnKind::Integer && column.lower == 0 && column.upper == 1;
    if (!is_binary) return false;
    const double slack = kTolerance * activity.size;
    const double step = std::abs(term.coefficient);
    const bool cannot_add = activity.least + step > row.upper + slack;
    const bool cannot_miss = activity.most - step < row.lower - slack;
    if (!cannot_add && !cannot_miss) return false;
    if (cannot_add && cannot_miss) {
      infeasible_ = true;
      return false;
    }
    // At its upper bound a column with a positive coefficient adds; with a negative one it takes
    // off.
    const double value = cannot_add == (term.coefficient > 0) ? 0 : 1;
    column.lower = column.upper = value;
    return true;
  }

  SmallerModel write() const {
    SmallerModel smaller;
    smaller.infeasible = infeasible_;
    for (const LinearColumn& column : columns_) {
      const bool fixed = column.lower == column.upper;
      smaller.fixed.push_back(fixed ? column.lower : 0);
      smaller.places.emplace_back();
      if (fixed)
        smaller.constant_cost += column.cost * column.lower;
      else
        smaller.places.back() = smaller.linear.add_column(column);
    }
    for (std::size_t n = 0; n < model_.rows.size() && !infeasible_; ++n)
      if (needed_[n]) add_row(model_.rows[n], smaller);
    return smaller;
  }

  static void add_row(const LinearRow& row, SmallerModel& smaller) {
    LinearRow rest;
    double taken = 0;
    for (const LinearTerm& term : row.terms) {
      const std::optional<std::int32_t> place = smaller.places[term.column];
      if (place)
        rest.terms.push_back(LinearTerm{*place, term.coefficient});
      else
        taken += term.coefficient * smaller.fixed[term.column];
    }
    if (rest.terms.empty()) {
      const double slack = kTolerance * (1 + std::abs(taken));
      if (taken > row.upper + slack || taken < row.lower - slack) smaller.infeasible = true;
      return;
    }
    rest.lower = row.lower - taken;
    rest.upper = row.upper - taken;
    smaller.linear.add_row(std::move(rest));
  }

  const LinearModel& model_;
  std::vector<LinearColumn> columns_;
  std::vector<bool> needed_;
  bool infeasible_ = false;
};

}  // namespace

std::vector<double> SmallerModel::whole(const std::vector<double>& values) const {
  std::vector<double> all = fixed;
  for (std::size_t j = 0; j < places.size(); ++j)
    if (places[j]) all[j] = values[*places[j]];
  return all;
}

IntegerAnswer solve_smaller(const SmallerModel& model, const LinearBackend& backend,
                            const IntegerLimits& limits, const Stop& stop,
                            const IntegerCallbacks& callbacks) {
  IntegerAnswer answer;
  if (model.infeasible) {
    answer.status = LinearStatus::Infeasible;
    return answer;
  }
  if (model.linear.columns.empty()) {
    answer.status = LinearStatus::Optimal;
    answer.objective = answer.bound = model.constant_cost;
    answer.values = model.fixed;
    return answer;
  }
  answer = backend.solve(model.linear, limits, {}, stop, callbacks);
  answer.objective += model.constant_cost;
  answer.bound += model.constant_cost;
  if (!answer.values.empty()) answer.values = model.whole(answer.values);
  return answer;
}

SmallerModel make_smaller(const LinearModel& model) {
  return Reducer(model).run();
}

SmallerModel unchanged(const LinearModel& model) {
  SmallerModel same;
  same.linear = model;
  same.fixed.assign(model.columns.size(), 0.0);
  for (std::size_t j = 0; j < model.columns.size(); ++j)
    same.places.emplace_back(static_cast<std::int32_t>(j));
  return same;
}

}  // namespace poet
