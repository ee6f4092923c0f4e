// Finds the path inequalities that a relaxation of a window model violates (docs/model/windows.md
// §4).
#include "poet/solve/window_paths.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace poet {
namespace {

// Windows that one inequality spans.
constexpr std::int32_t kMostWindows = 40;
// A sum of rows counts a column as often as there are ways to it; where they are more, the
// right-hand side would be too small a part of the divisor for the verifier (window_proof.h).
constexpr double kMostWays = 1 << 14;

using Column = std::optional<std::int32_t>;

// The rows of a model by their names.
class RowPlaces {
 public:
  explicit RowPlaces(const WindowModel& model) {
    for (std::size_t n = 0; n < model.row_names.size(); ++n)
      places_[model.row_names[n]] = static_cast<std::int32_t>(n);
  }
  std::optional<std::int32_t> find(const WindowRowName& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<WindowRowName, std::int32_t> places_;
};

// What a chain is at hand for within a range of windows, and what limits that.
struct Supply {
  double amount = 1;                       // there, read, or made
  bool by_copy = false;                    // counted by its copy, which is less than its reads
  std::optional<std::int32_t> input = {};  // of its maker, which limits it; none: its runs do
  bool usable = false;                     // its rows reach back to the beginning of the range
};

class PathSeparator {
 public:
  PathSeparator(const WindowModel& model, const Step& step, const std::vector<double>& values,
                double least_violation)
      : model_(model),
        step_(step),
        values_(values),
        least_violation_(least_violation),
        places_(model) {}

  std::vector<WindowCut> run() {
    for (first_ = 1; first_ < model_.windows(); ++first_)
      for (last_ = first_; last_ < std::min(model_.windows(), first_ + kMostWindows); ++last_)
        look_at_range();
    std::stable_sort(found_.begin(), found_.end(), [](const WindowCut& a, const WindowCut& b) {
      return a.violation > b.violation;
    });
    return std::move(found_);
  }

 private:
  std::int32_t tensor(std::int32_t c) const { return index_of(step_.chains[c].tensor); }
  double value(const Column& column) const { return column ? values_[*column] : 0.0; }
  const Column& residency(std::int32_t c) const {
    const std::optional<std::int32_t> old = step_.chains[c].old_value;
    return model_.resident[old ? *old : c];
  }

  // --- one range of windows ----------------------------------------------------------------------

  void look_at_range() {
    supplies_.assign(step_.chains.size(), {});
    for (std::size_t c = 0; c < step_.chains.size(); ++c)
      if (!step_.chains[c].producer) supply(static_cast<std::int32_t>(c), 0, std::nullopt);
    for (std::int32_t k = 0; k <= model_.keys.stages[first_ - 1]; ++k) supply_outputs(k);
    for (std::size_t n = 0; n < step_.chains.size(); ++n) {
      const auto c = static_cast<std::int32_t>(n);
      const Supply& here = supplies_[c];
      if (!here.usable || !here.input) continue;  // without an input it is a sum of rows
      consider_need(c);
      consider_carry(c);
    }
  }

  void supply_outputs(std::int32_t k) {
    double runs = 0;
    for (std::int32_t w = first_; w <= last_; ++w) runs += value(model_.made[w][k]);
    std::optional<std::int32_t> least;
    if (runs > 0)
      for (const std::int32_t c : step_.operations[k].inputs)
        if (supplies_[c].usable && supplies_[c].amount < runs) {
          runs = supplies_[c].amount;
          least = c;
        }
    for (const std::int32_t c : step_.operations[k].outputs) supply(c, runs, least);
  }

  void supply(std::int32_t c, double made, std::optional<std::int32_t> input) {
    if (!reaches_back(c)) return;
    double reads = 0;
    for (std::int32_t w = first_; w <= last_; ++w) reads += value(model_.read[w][c]);
    const bool by_copy = model_.stored[c] && value(model_.stored[c]) < reads;
    if (by_copy) reads = value(model_.stored[c]);
    const double amount = value(model_.present[first_][c]) + reads + value(residency(c)) + made;
    supplies_[c] = {amount, by_copy, input, true};
  }

  // The chain is not sure to be there at any key of the range while it may still be needed.
  bool reaches_back(std::int32_t c) const {
    if (!model_.present[first_][c]) return false;
    for (std::int32_t w = first_ + 1; w <= last_; ++w)
      if (!model_.present[w][c] && model_.keys.stages[w - 1] < step_.chains[c].last_stage)
        return false;
    return true;
  }

  void consider_need(std::int32_t c) {
    const double violation = 1 - supplies_[c].amount;
    if (violation < least_violation_) return;
    const auto need = places_.find({WindowRowKind::Need, {last_, tensor(c)}});
    if (!need || is_needed_before(c)) return;
    add_cut(c, *need, std::nullopt, violation);
  }

  bool is_needed_before(std::int32_t c) const {
    for (std::int32_t w = first_; w < last_; ++w)
      if (places_.find({WindowRowKind::Need, {w, tensor(c)}})) return true;
    return false;
  }

  void consider_carry(std::int32_t c) {
    if (last_ + 1 >= model_.windows()) return;
    const Column& later = model_.present[last_ + 1][c];
    if (!later) return;
    const double violation = value(later) - supplies_[c].amount;
    if (violation < least_violation_) return;
    const auto carry = places_.find({WindowRowKind::Carry, {last_, tensor(c)}});
    if (carry) add_cut(c, *carry, later, violation);
  }

  // --- its reason: a sum of rows -----------------------------------------------------------------

  void add(const std::optional<std::int32_t>& row, double weight) {
    if (weight == 0) return;
    if (!row) {
      complete_ = false;
      return;
    }
    weights_.push_back({*row, weight});
    most_ways_ = std::max(most_ways_, weight);
  }
  void add_term(const Column& column, double ways) {
    if (!column || ways == 0) return;
    terms_[*column] += ways;
    most_ways_ = std::max(most_ways_, terms_[*column]);
  }

  // Begins with what says that c is there at the end of the range.
  void add_cut(std::int32_t c, std::int32_t end, const Column& later, double violation) {
    weights_.clear();
    terms_.clear();
    complete_ = true;
    most_ways_ = 1;
    weights_.push_back({end, 1});
    // In how many ways each window asks for the chain; the last of them by `end`.
    std::vector<double> asked(last_ + 1, 0.0);
    asked[last_] = 1;
    std::vector<double> runs = ask_for(c, asked);
    for (std::optional<std::int32_t> input = supplies_[c].input; input;) {
      const std::int32_t k = *step_.chains[c].producer;
      for (std::int32_t w = first_; w <= last_; ++w)
        add(places_.find({WindowRowKind::Making, {w, k, tensor(*input)}}), runs[w]);
      c = *input;
      runs = ask_for(c, runs);
      input = supplies_[c].input;
    }
    if (step_.chains[c].producer)
      for (std::int32_t w = first_; w <= last_; ++w)
        add_term(model_.made[w][*step_.chains[c].producer], runs[w]);
    if (complete_ && most_ways_ <= kMostWays) found_.push_back(rounded(later, violation));
  }

  // Carries the chain back to the beginning of the range; how often each window then makes it.
  std::vector<double> ask_for(std::int32_t c, const std::vector<double>& asked) {
    std::vector<double> runs(last_ + 1, 0.0);
    double ways = 0;
    for (std::int32_t w = last_; w >= first_; --w) {
      ways += asked[w];
      if (ways == 0) continue;
      runs[w] = step_.chains[c].producer && model_.made[w][*step_.chains[c].producer] ? ways : 0;
      add_term(residency(c), ways);
      if (supplies_[c].by_copy && model_.read[w][c]) {
        add(places_.find({WindowRowKind::Copy, {w, tensor(c)}}), ways);
        add_term(model_.stored[c], ways);
      } else {
        add_term(model_.read[w][c], ways);
      }
      if (w > first_)
        add(places_.find({WindowRowKind::Carry, {w - 1, tensor(c)}}), ways);
      else
        add_term(model_.present[w][c], ways);
    }
    return runs;
  }

  // sum of ways * columns >= 1: divided by more than any of the ways and rounded, each counts once.
  WindowCut rounded(const Column& later, double violation) const {
    WindowCut cut;
    cut.weights = weights_;
    cut.inequality.is_path = true;
    cut.divisor = 2;
    while (cut.divisor <= most_ways_) cut.divisor *= 2;
    for (const auto& [column, ways] : terms_) cut.inequality.terms.push_back({column, -1});
    cut.inequality.most = -1;
    if (later) {
      cut.complemented.push_back(*later);
      cut.inequality.terms.push_back({*later, 1});
      cut.inequality.most = 0;
    }
    cut.violation = violation / std::sqrt(static_cast<double>(cut.inequality.terms.size()));
    return cut;
  }

  const WindowModel& model_;
  const Step& step_;
  const std::vector<double>& values_;
  double least_violation_;
  RowPlaces places_;
  std::int32_t first_ = 1, last_ = 1;
  std::vector<Supply> supplies_;  // per chain, in the windows first_ .. last_
  std::vector<WindowCut> found_;
  // Of the one that is being made.
  std::vector<Weight> weights_;
  std::map<std::int32_t, double> terms_;
  bool complete_ = true;  // every row that it needs is in the model
  double most_ways_ = 1;
};

}  // namespace

std::vector<WindowCut> violated_paths(const WindowModel& model, const Step& step,
                                      const std::vector<double>& values, double least_violation) {
  return PathSeparator(model, step, values, least_violation).run();
}

}  // namespace poet
