// Finds mixed-integer roundings that a relaxation of a window model violates
// (docs/model/certificates.md §3.2).
#include "poet/solve/window_inequalities.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace poet {
namespace {

constexpr double kTight = 1e-6;  // slack of a row that is worth adding
constexpr double kFractional = 1e-6;
constexpr double kLeastViolation = 1e-4;
constexpr double kLeastFraction = 5e-3;  // of a right-hand side that is worth rounding
constexpr std::size_t kMostDivisors = 16;

bool is_on_ram(WindowRowKind kind) {
  return kind == WindowRowKind::Memory || kind == WindowRowKind::Crowded;
}

bool is_whole(const WindowModel& model, std::int32_t column) {
  return model.linear.columns[column].kind == ColumnKind::Integer;
}

// A sum of rows with weights.
struct Sum {
  std::vector<double> terms = {};  // per column
  double most = 0;
  std::vector<Weight> weights = {};

  void add(const Inequality& row, std::int32_t place, double weight) {
    for (const LinearTerm& term : row.terms) terms[term.column] += weight * term.coefficient;
    most += weight * row.most;
    for (Weight& known : weights)
      if (known.place == place) {
        known.value += weight;
        return;
      }
    weights.push_back({place, weight});
  }
};

// Which columns a step puts other columns in the place of.
struct Replacement {
  WindowColumnKind kind;
  bool with_zeros;  // also columns that are 0 now
};
constexpr Replacement kFewer[] = {
    {WindowColumnKind::InRam, false},   {WindowColumnKind::Present, false},
    {WindowColumnKind::Present, false}, {WindowColumnKind::Present, false},
    {WindowColumnKind::Read, false},    {WindowColumnKind::Made, false},
    {WindowColumnKind::Present, false}};
constexpr Replacement kMore[] = {
    {WindowColumnKind::InRam, true},   {WindowColumnKind::Present, true},
    {WindowColumnKind::Present, true}, {WindowColumnKind::Present, true},
    {WindowColumnKind::Read, true},    {WindowColumnKind::Made, true},
    {WindowColumnKind::Present, true}};

class Separator {
 public:
  Separator(const WindowModel& model, const std::vector<Inequality>& rows,
            const std::vector<double>& values)
      : model_(model), rows_(rows), values_(values), rows_of_(model.linear.columns.size()) {
    for (std::size_t n = 0; n < rows.size(); ++n) {
      double slack = rows[n].most;
      for (const LinearTerm& term : rows[n].terms) slack -= term.coefficient * values[term.column];
      slacks_.push_back(slack);
      if (slack > kTight) continue;
      for (const LinearTerm& term : rows[n].terms)
        rows_of_[term.column].push_back({static_cast<std::int32_t>(n), term.coefficient});
    }
  }

  std::vector<WindowCut> run() {
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      if (!may_begin(n) || slacks_[n] > kTight) continue;
      follow(static_cast<std::int32_t>(n), kFewer);
      follow(static_cast<std::int32_t>(n), kMore);
    }
    std::stable_sort(found_.begin(), found_.end(), [](const WindowCut& a, const WindowCut& b) {
      return a.violation > b.violation;
    });
    return std::move(found_);
  }

 private:
  // A row on RAM, or a cut that was made from one.
  bool may_begin(std::size_t place) const {
    if (place >= model_.row_names.size()) return !rows_[place].is_path;
    return is_on_ram(model_.row_names[place].kind);
  }

  template <std::size_t N>
  void follow(std::int32_t row, const Replacement (&steps)[N]) {
    Sum sum;
    sum.terms.assign(values_.size(), 0.0);
    sum.add(rows_[row], row, 1);
    std::optional<WindowCut> best;
    keep_better(sum, best);
    for (const Replacement& step : steps)
      if (replace(sum, step)) keep_better(sum, best);
    if (best) found_.push_back(*std::move(best));
  }

  // Adds to the sum, for each of its columns of the kind, the tightest row in which the column has
  // the other sign, so that the column goes.
  bool replace(Sum& sum, const Replacement& step) const {
    bool any = false;
    std::vector<std::int32_t> columns;
    for (std::size_t j = 0; j < values_.size(); ++j)
      if (sum.terms[j] != 0 && model_.column_names[j].kind == step.kind &&
          values_[j] < 1 - kFractional && (step.with_zeros || values_[j] > kFractional))
        columns.push_back(static_cast<std::int32_t>(j));
    for (const std::int32_t j : columns) {
      const double coefficient = sum.terms[j];
      if (std::abs(coefficient) < 1e-9) continue;
      for (const auto& [row, own] : rows_of_[j]) {
        if (own * coefficient >= 0 || may_begin(row)) continue;
        sum.add(rows_[row], row, -coefficient / own);
        sum.terms[j] = 0;
        any = true;
        break;
      }
    }
    return any;
  }

  void keep_better(const Sum& sum, std::optional<WindowCut>& best) const {
    std::vector<std::int32_t> complemented;
    double most = sum.most;
    for (std::size_t j = 0; j < values_.size(); ++j)
      if (sum.terms[j] != 0 && values_[j] > 0.5) {
        complemented.push_back(static_cast<std::int32_t>(j));
        most -= sum.terms[j];
      }
    std::vector<double> divisors = divisors_for(sum);
    std::optional<double> chosen;
    double violation = best ? best->violation : kLeastViolation;
    const auto consider = [&](double divisor) {
      const double here = violation_of(sum, most, divisor);
      if (here <= violation) return;
      violation = here;
      chosen = divisor;
    };
    for (const double divisor : divisors) consider(divisor);
    if (chosen)
      for (const double part : {2.0, 4.0, 8.0}) consider(*chosen / part);
    if (!chosen) return;
    best = WindowCut{sum.weights, complemented, *chosen, {}, violation};
    best->inequality = rounded(sum, most, *chosen);
  }

  std::vector<double> divisors_for(const Sum& sum) const {
    std::vector<double> sizes;
    for (std::size_t j = 0; j < values_.size(); ++j)
      if (std::abs(sum.terms[j]) > 1e-9 && values_[j] > kFractional && values_[j] < 1 - kFractional)
        sizes.push_back(std::abs(sum.terms[j]));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (sizes.size() <= kMostDivisors) return sizes;
    std::vector<double> some;
    for (std::size_t n = 0; n < kMostDivisors; ++n)
      some.push_back(sizes[n * (sizes.size() - 1) / (kMostDivisors - 1)]);
    return some;
  }

  // The coefficient after rounding, of a column counted from its nearer end.
  double coefficient(std::size_t j, double a, double f) const {
    if (!is_whole(model_, static_cast<std::int32_t>(j))) return std::min(0.0, a) / (1 - f);
    const double floor = std::floor(a);
    return floor + std::max(0.0, a - floor - f) / (1 - f);
  }

  double violation_of(const Sum& sum, double most, double divisor) const {
    const double right = most / divisor;
    const double f = right - std::floor(right);
    if (f < kLeastFraction || f > 1 - kLeastFraction) return 0;
    double left = 0, square = 0;
    for (std::size_t j = 0; j < values_.size(); ++j) {
      if (sum.terms[j] == 0) continue;
      const bool turned = values_[j] > 0.5;
      const double c = coefficient(j, (turned ? -sum.terms[j] : sum.terms[j]) / divisor, f);
      left += c * (turned ? 1 - values_[j] : values_[j]);
      square += c * c;
    }
    return square > 0 ? (left - std::floor(right)) / std::sqrt(square) : 0;
  }

  Inequality rounded(const Sum& sum, double most, double divisor) const {
    const double right = most / divisor;
    const double f = right - std::floor(right);
    Inequality cut{{}, std::floor(right)};
    for (std::size_t j = 0; j < values_.size(); ++j) {
      if (sum.terms[j] == 0) continue;
      const bool turned = values_[j] > 0.5;
      const double c = coefficient(j, (turned ? -sum.terms[j] : sum.terms[j]) / divisor, f);
      if (std::abs(c) < 1e-12) continue;
      cut.terms.push_back({static_cast<std::int32_t>(j), turned ? -c : c});
      if (turned) cut.most -= c;
    }
    return cut;
  }

  const WindowModel& model_;
  const std::vector<Inequality>& rows_;
  const std::vector<double>& values_;
  std::vector<std::vector<std::pair<std::int32_t, double>>> rows_of_;  // tight, per column
  std::vector<double> slacks_;
  std::vector<WindowCut> found_;
};

}  // namespace

std::vector<Inequality> inequalities_of(const WindowModel& model) {
  std::vector<Inequality> list;
  for (const LinearRow& row : model.linear.rows) {
    const bool turned = row.upper == kInfinity;
    Inequality& inequality = list.emplace_back();
    inequality.most = turned ? -row.lower : row.upper;
    for (const LinearTerm& term : row.terms)
      inequality.terms.push_back({term.column, turned ? -term.coefficient : term.coefficient});
  }
  return list;
}

std::vector<WindowCut> violated_roundings(const WindowModel& model,
                                          const std::vector<Inequality>& rows,
                                          const std::vector<double>& values) {
  return Separator(model, rows, values).run();
}

}  // namespace poet
