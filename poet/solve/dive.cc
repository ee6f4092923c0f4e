// Follows a relaxation towards whole values, for a schedule early (docs/model/search.md §5.3).
#include "poet/solve/dive.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace poet {
namespace {

constexpr double kWhole = 1e-6;
// Columns this near to one go along with the best of their kind.
constexpr double kNearlyOne = 0.9;

// Kinds of columns in the order in which the dive settles them.
int rank_of(ColumnMeaning meaning) {
  switch (meaning) {
    case ColumnMeaning::Resident:
      return 0;
    case ColumnMeaning::Stored:
      return 1;
    case ColumnMeaning::Runs:
      return 2;
    case ColumnMeaning::Read:
      return 3;
    case ColumnMeaning::Stays:
    case ColumnMeaning::Shared:
      return 4;
    case ColumnMeaning::Budget:
      return 5;
  }
  return 5;
}

bool is_fractional(double value) {
  return value > kWhole && value < 1 - kWhole;
}

class Dive {
 public:
  Dive(const EventModel& model, Relaxation& relaxation, const DiveLimits& limits, const Stop& stop)
      : model_(model), relaxation_(relaxation), limits_(limits), stop_(stop) {}

  DiveAnswer run() {
    std::optional<double> ceiling;
    for (int step = 0; step < limits_.steps && !stop_.requested(); ++step) {
      const RelaxationAnswer relaxed = relaxation_.solve(stop_);
      answer_.iterations += relaxed.iterations;
      if (relaxed.status != LinearStatus::Optimal) break;
      if (!ceiling) ceiling = relaxed.objective + limits_.rise_ratio * std::abs(relaxed.objective);
      if (relaxed.objective > *ceiling) break;
      settled_ = answer_.settings.size();
      if (!advance(relaxed.values)) {
        answer_.values = relaxed.values;
        break;
      }
    }
    answer_.settings.resize(settled_);
    return std::move(answer_);
  }

 private:
  // Sets columns to one; false when all are whole.
  bool advance(const std::vector<double>& values) {
    std::optional<std::int32_t> best;
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto column = static_cast<std::int32_t>(j);
      if (model_.linear.columns[j].kind != ColumnKind::Integer || !is_fractional(values[j]))
        continue;
      if (!best || before(column, *best, values)) best = column;
    }
    if (!best) return false;
    set_to_one(*best);
    for (std::size_t j = 0; j < values.size(); ++j) {
      const auto column = static_cast<std::int32_t>(j);
      if (column != *best && is_fractional(values[j]) && values[j] > kNearlyOne &&
          rank(column) == rank(*best))
        set_to_one(column);
    }
    return true;
  }

  void set_to_one(std::int32_t column) {
    relaxation_.set_column_bounds(column, 1, 1);
    answer_.settings.push_back(ColumnSetting{column, 1});
  }

  int rank(std::int32_t column) const { return rank_of(model_.column_tags[column].meaning); }

  // A small share of a copy or an execution is more often an escape than a plan: those come last.
  bool before(std::int32_t a, std::int32_t b, const std::vector<double>& values) const {
    const bool small_a = values[a] < kSmallShare, small_b = values[b] < kSmallShare;
    if (small_a != small_b) return small_b;
    return rank(a) != rank(b) ? rank(a) < rank(b) : values[a] > values[b];
  }

  static constexpr double kSmallShare = 0.3;

  const EventModel& model_;
  Relaxation& relaxation_;
  const DiveLimits& limits_;
  const Stop& stop_;
  std::size_t settled_ = 0;  // settings after which the relaxation was still below the ceiling
  DiveAnswer answer_;
};

}  // namespace

DiveAnswer dive(const EventModel& model, Relaxation& relaxation, const DiveLimits& limits,
                const Stop& stop) {
  return Dive(model, relaxation, limits, stop).run();
}

}  // namespace poet
