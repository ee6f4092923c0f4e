// Branch and cut over a window model that keeps the reason of every bound, for certificates
// (docs/model/certificates.md §3.3).
#include "poet/solve/certify_windows.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <queue>

#include "poet/solve/window_cuts.h"
#include "poet/solve/window_inequalities.h"

namespace poet {
namespace {

constexpr int kMostStalls = 12;
constexpr double kFractional = 1e-6;
// A round of cuts that raises the bound by less than this part of what is missing has stalled.
constexpr double kLeastProgress = 2e-3;
// What breaking a row by the size of its largest coefficient costs, in units of the model's cost:
// no relaxation is infeasible, and where breaking rows is cheapest the multipliers prove a bound
// that is as good as a reason.
constexpr double kPriceOfBreaking = 1e6;
// Branching: columns tried before their effect is known, and how often makes it known.
constexpr std::size_t kMostTried = 8;
constexpr int kKnownAfter = 2;

struct Fixing {
  std::int32_t column = 0;
  double value = 0;
};

struct Fraction {
  std::int32_t column = 0;
  double value = 0;
};

// A case: what was decided, and what its relaxation says.
struct Case {
  bool is_answered = false;
  std::optional<std::int32_t> parent = {};
  Fixing fixing = {};                    // the last decision, where there is a parent
  double bound = 0;                      // in units of the model, by its multipliers
  std::vector<Weight> multipliers = {};  // by place among the inequalities
  std::vector<Fraction> fractions = {};
  Basis basis = {};
  std::int32_t branch = 0;                                          // the column it was split by
  std::optional<std::pair<std::int32_t, std::int32_t>> parts = {};  // where it is 0, where it is 1
};

// What deciding a column did to the bound, on average.
struct Effect {
  double sum = 0;
  int count = 0;

  double mean(double otherwise) const { return count > 0 ? sum / count : otherwise; }
};

class WindowCertifier {
 public:
  WindowCertifier(const Step& step, const WindowKeys& keys, double cost_unit, double target,
                  const LinearBackend& backend, const CertifyLimits& limits, const Stop& stop)
      : step_(step),
        model_(make_window_model(step, keys, {.cost_unit = cost_unit})),
        rows_(inequalities_of(model_)),
        target_(target / cost_unit - model_.constant_cost),
        backend_(backend),
        limits_(limits),
        stop_(stop) {
    for (std::vector<Effect>& side : effects_) side.resize(model_.linear.columns.size());
  }

  CertifiedWindows run() {
    build_relaxation();
    cases_.push_back(solve({}, {}, Basis{}));
    add_cuts();
    split_cases();
    return write();
  }

 private:
  // --- relaxations -------------------------------------------------------------------------------

  std::int32_t columns() const { return static_cast<std::int32_t>(model_.linear.columns.size()); }

  static bool is_budget(WindowRowKind kind) {
    return kind == WindowRowKind::Memory || kind == WindowRowKind::Crowded ||
           kind == WindowRowKind::Deadline || kind == WindowRowKind::Storage ||
           kind == WindowRowKind::Writes;
  }

  LinearRow row_at(std::size_t n) const {
    LinearRow row = row_of(rows_[n]);
    if (is_budget(model_.row_names[n].kind))
      row.upper -= limits_.tightened_ratio * std::abs(row.terms.back().coefficient);
    return row;
  }

  // The last term is what it costs to break the row.
  LinearRow row_of(const Inequality& inequality) const {
    LinearRow row{-kInfinity, inequality.most, inequality.terms};
    double largest = 0;
    for (const LinearTerm& term : row.terms)
      largest = std::max(largest, std::abs(term.coefficient));
    row.terms.push_back({columns(), -largest});
    return row;
  }

  void build_relaxation() {
    LinearModel linear;
    linear.columns = model_.linear.columns;
    linear.add_column({kPriceOfBreaking, 0, kInfinity, ColumnKind::Continuous});
    for (std::size_t n = 0; n < rows_.size(); ++n) linear.add_row(row_at(n));
    for (const WindowCut& cut : cuts_) linear.add_row(row_of(cut.inequality));
    relaxation_ = backend_.relax(linear);
    fixed_.clear();
  }

  std::vector<Inequality> all_inequalities() const {
    std::vector<Inequality> all = rows_;
    for (const WindowCut& cut : cuts_) all.push_back(cut.inequality);
    return all;
  }

  bool is_cut(std::int32_t place) const { return static_cast<std::size_t>(place) >= rows_.size(); }

  const Inequality& inequality(std::size_t place) const {
    return place < rows_.size() ? rows_[place] : cuts_[place - rows_.size()].inequality;
  }

  void fix(const std::vector<Fixing>& fixings) {
    for (const Fixing& old : fixed_) relaxation_->set_column_bounds(old.column, 0, 1);
    for (const Fixing& now : fixings)
      relaxation_->set_column_bounds(now.column, now.value, now.value);
    fixed_ = fixings;
  }

  bool is_over() const {
    return stop_.requested() || relaxations_ >= limits_.most_relaxations ||
           iterations_ >= limits_.most_iterations;
  }

  // A case with the decisions of its parent and one more. Without an answer: the parent's bound.
  Case solve(const std::vector<Fixing>& fixings, std::optional<std::int32_t> parent,
             const Basis& start) {
    fix(fixings);
    if (!start.columns.empty()) relaxation_->set_basis(start);
    const RelaxationAnswer answer = relaxation_->solve(stop_);
    ++relaxations_;
    iterations_ += answer.iterations;
    Case made;
    made.parent = parent;
    if (!fixings.empty()) made.fixing = fixings.back();
    if (parent) made.multipliers = cases_[*parent].multipliers;
    if (answer.status == LinearStatus::Optimal) {
      made.is_answered = true;
      made.multipliers = multipliers_of(answer.row_duals);
      made.fractions = fractions_of(answer.values, fixings);
      made.basis = relaxation_->basis();
      values_ = answer.values;
    }
    made.bound = bound_of(made.multipliers, fixings);
    return made;
  }

  static std::vector<Weight> multipliers_of(const std::vector<double>& duals) {
    constexpr double kRounding = 1e-11;
    std::vector<Weight> multipliers;
    for (std::size_t n = 0; n < duals.size(); ++n)
      if (duals[n] < -kRounding) multipliers.push_back({static_cast<std::int32_t>(n), -duals[n]});
    return multipliers;
  }

  // Of what is not decided yet: a backend may hold a decision only within its tolerances.
  std::vector<Fraction> fractions_of(const std::vector<double>& values,
                                     const std::vector<Fixing>& decided) const {
    std::vector<bool> open(values.size(), true);
    for (const Fixing& fixing : decided) open[fixing.column] = false;
    std::vector<Fraction> fractions;
    for (std::int32_t j = 0; j < columns(); ++j)
      if (open[j] && model_.linear.columns[j].kind == ColumnKind::Integer &&
          values[j] > kFractional && values[j] < 1 - kFractional)
        fractions.push_back({j, values[j]});
    return fractions;
  }

  // As the certificate's checker does, but for rounding.
  double bound_of(const std::vector<Weight>& multipliers,
                  const std::vector<Fixing>& fixings) const {
    std::vector<double> reduced;
    for (const LinearColumn& column : model_.linear.columns) reduced.push_back(column.cost);
    double bound = 0;
    for (const Weight& weight : multipliers) {
      const Inequality& row = inequality(weight.place);
      bound -= weight.value * row.most;
      for (const LinearTerm& term : row.terms)
        reduced[term.column] += weight.value * term.coefficient;
    }
    for (const Fixing& fixing : fixings) {
      bound += fixing.value * reduced[fixing.column];
      reduced[fixing.column] = 0;
    }
    for (const double cost : reduced) bound += std::min(0.0, cost);
    return bound;
  }

  // --- cuts at the root --------------------------------------------------------------------------

  void add_cuts() {
    for (int round = 0; round < limits_.most_cut_rounds && !is_over(); ++round) {
      Case& root = cases_.front();
      if (root.bound >= target_ || !root.is_answered) break;
      std::vector<WindowCut> found = violated_cuts(model_, step_, all_inequalities(), values_);
      if (found.empty()) break;
      std::vector<LinearRow> more;
      for (WindowCut& cut : found) {
        more.push_back(row_of(cut.inequality));
        cuts_.push_back(std::move(cut));
      }
      relaxation_->add_rows(more);
      const double before = root.bound;
      Case next = solve({}, {}, Basis{});
      if (!next.is_answered) break;  // the cuts stay without a multiplier
      if (next.bound > root.bound) root = std::move(next);
      const bool stalled = root.bound - before < kLeastProgress * (target_ - before);
      if (stalled && ++stalls_ >= kMostStalls) break;
    }
    keep_binding_cuts();
  }

  // The others would only slow down every case.
  void keep_binding_cuts() {
    Case& root = cases_.front();
    const std::vector<bool> used = used_cuts(root.multipliers);
    std::vector<std::int32_t> places(cuts_.size(), 0);
    std::vector<WindowCut> kept;
    for (std::size_t n = 0; n < cuts_.size(); ++n) {
      if (!used[n]) continue;
      places[n] = static_cast<std::int32_t>(rows_.size() + kept.size());
      kept.push_back(std::move(cuts_[n]));
    }
    const auto move_places = [&](std::vector<Weight>& weights) {
      for (Weight& weight : weights)
        if (is_cut(weight.place)) weight.place = places[weight.place - rows_.size()];
    };
    for (WindowCut& cut : kept) move_places(cut.weights);
    move_places(root.multipliers);
    cuts_ = std::move(kept);
    if (root.bound < target_ && !is_over()) solve_root_again();
  }

  // Those with a multiplier, and those that they are made from.
  std::vector<bool> used_cuts(const std::vector<Weight>& multipliers) const {
    std::vector<bool> used(cuts_.size(), false);
    const auto use = [&](const std::vector<Weight>& weights) {
      for (const Weight& weight : weights)
        if (is_cut(weight.place)) used[weight.place - rows_.size()] = true;
    };
    use(multipliers);
    for (std::size_t n = cuts_.size(); n-- > 0;)
      if (used[n]) use(cuts_[n].weights);
    return used;
  }

  void solve_root_again() {
    Case& root = cases_.front();
    build_relaxation();
    Case again = solve({}, {}, Basis{});
    if (again.bound < root.bound) {
      again.multipliers = root.multipliers;
      again.bound = root.bound;
    }
    root = std::move(again);
  }

  // --- cases -------------------------------------------------------------------------------------

  void split_cases() {
    using Open = std::pair<double, std::int32_t>;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    open.push({cases_.front().bound, 0});
    while (!open.empty() && !is_over()) {
      const auto [bound, n] = open.top();
      open.pop();
      // Nothing that is left can raise the smallest bound.
      if (bound >= target_ || cases_[n].fractions.empty()) break;
      split(n);
      if (!cases_[n].parts) break;
      for (const std::int32_t part : {cases_[n].parts->first, cases_[n].parts->second})
        open.push({cases_[part].bound, part});
    }
  }

  std::vector<Fixing> decisions(std::int32_t n) const {
    std::vector<Fixing> list;
    for (std::optional<std::int32_t> at = n; cases_[*at].parent; at = cases_[*at].parent)
      list.push_back(cases_[*at].fixing);
    std::reverse(list.begin(), list.end());
    return list;
  }

  struct Split {
    std::int32_t column = 0;
    double score = -1;
    std::optional<std::pair<Case, Case>> parts = {};
  };

  // By the column whose two cases raise the bound most, tried where that is not known yet.
  void split(std::int32_t n) {
    Split best;
    std::size_t tried = 0;
    for (const Fraction& fraction : promising(n)) {
      Split here{fraction.column, -1, {}};
      const bool known = effects_[0][fraction.column].count >= kKnownAfter &&
                         effects_[1][fraction.column].count >= kKnownAfter;
      if (!known && tried < kMostTried && !is_over()) {
        ++tried;
        here.parts = both_parts(n, fraction);
        here.score = score(here.parts->first.bound - cases_[n].bound,
                           here.parts->second.bound - cases_[n].bound);
      } else {
        here.score = expected_score(n, fraction);
      }
      if (here.score > best.score) best = std::move(here);
      if (best.parts && std::min(best.parts->first.bound, best.parts->second.bound) >= target_)
        break;
    }
    if (!best.parts) {
      for (const Fraction& fraction : cases_[n].fractions)
        if (fraction.column == best.column) best.parts = both_parts(n, fraction);
    }
    Case& parent = cases_[n];
    const auto first = static_cast<std::int32_t>(cases_.size());
    parent.branch = best.column;
    parent.parts = {first, first + 1};
    parent.multipliers.clear();
    parent.basis = {};
    parent.fractions.clear();
    cases_.push_back(std::move(best.parts->first));
    cases_.push_back(std::move(best.parts->second));
  }

  // Both sides count, the weaker one most; beyond the target nothing is gained.
  double score(double zero, double one) const {
    const double least = 1e-6;
    return std::max(least, zero) * std::max(least, one);
  }

  double expected_score(std::int32_t n, const Fraction& fraction) const {
    const double zero = effects_[0][fraction.column].mean(all_[0].mean(1)) * fraction.value;
    const double one = effects_[1][fraction.column].mean(all_[1].mean(1)) * (1 - fraction.value);
    const double missing = target_ - cases_[n].bound;
    return score(std::min(zero, missing), std::min(one, missing));
  }

  std::vector<Fraction> promising(std::int32_t n) const {
    std::vector<std::pair<double, Fraction>> ranked;
    for (const Fraction& fraction : cases_[n].fractions)
      ranked.push_back({expected_score(n, fraction), fraction});
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Fraction> list;
    for (const auto& [expected, fraction] : ranked) list.push_back(fraction);
    return list;
  }

  std::pair<Case, Case> both_parts(std::int32_t n, const Fraction& fraction) {
    std::vector<Fixing> fixings = decisions(n);
    fixings.push_back({fraction.column, 0});
    Case zero = solve_part(n, fixings, fraction.value);
    fixings.back().value = 1;
    Case one = solve_part(n, fixings, 1 - fraction.value);
    return {std::move(zero), std::move(one)};
  }

  Case solve_part(std::int32_t n, const std::vector<Fixing>& fixings, double distance) {
    Case part = solve(fixings, n, cases_[n].basis);
    const double bound = cases_[n].bound;
    // A case is no cheaper than the one it belongs to: what proves that one proves it here.
    if (part.bound < bound && !cases_[n].multipliers.empty()) {
      part.multipliers = cases_[n].multipliers;
      part.bound = std::max(part.bound, bound_of(part.multipliers, fixings));
    }
    part.bound = std::min(part.bound, target_ + kCap * std::abs(target_ - bound));
    const double effect = std::max(0.0, part.bound - bound) / std::max(distance, kFractional);
    const int side = fixings.back().value > 0.5 ? 1 : 0;
    for (Effect* const one : {&effects_[side][fixings.back().column], &all_[side]}) {
      one->sum += effect;
      ++one->count;
    }
    return part;
  }

  // --- the proof ---------------------------------------------------------------------------------

  CertifiedWindows write() {
    CertifiedWindows out;
    out.relaxations = relaxations_;
    out.iterations = iterations_;
    out.proof.keys = model_.keys.stages;
    double least = kInfinity;
    write_cuts(out.proof);
    std::vector<std::int32_t> order = {0};
    std::vector<std::int32_t> left = {0};
    out.proof.nodes.emplace_back();
    // Places in the file are given when the parent is written, so children come behind it.
    for (std::size_t n = 0; n < left.size(); ++n) {
      const Case& here = cases_[left[n]];
      if (!here.parts) {
        least = std::min(least, here.bound);
        out.proof.nodes[n] = leaf_of(here, out.proof);
        continue;
      }
      const auto next = static_cast<std::int32_t>(left.size());
      out.proof.nodes[n] = ProofBranch{place_of_column(here.branch, out.proof), next, next + 1};
      left.push_back(here.parts->first);
      left.push_back(here.parts->second);
      out.proof.nodes.resize(left.size());
    }
    out.bound = (least + model_.constant_cost) * model_.cost_unit;
    return out;
  }

  std::int32_t place_of_row(std::int32_t row, WindowProof& proof) {
    if (row_places_.empty()) row_places_.resize(rows_.size());
    if (!row_places_[row]) {
      row_places_[row] = static_cast<std::int32_t>(proof.rows.size());
      proof.rows.push_back(model_.row_names[row]);
    }
    return *row_places_[row];
  }
  std::int32_t place_of_column(std::int32_t column, WindowProof& proof) {
    if (column_places_.empty()) column_places_.resize(model_.linear.columns.size());
    if (!column_places_[column]) {
      column_places_[column] = static_cast<std::int32_t>(proof.columns.size());
      proof.columns.push_back(model_.column_names[column]);
    }
    return *column_places_[column];
  }

  void write_cuts(WindowProof& proof) {
    for (const WindowCut& cut : cuts_) {
      RoundingCut& out = proof.cuts.emplace_back();
      for (const Weight& weight : cut.weights)
        if (is_cut(weight.place))
          out.cuts.push_back(
              {weight.place - static_cast<std::int32_t>(rows_.size()), weight.value});
        else
          out.rows.push_back(
              {place_of_row(weight.place, proof), weight.value * model_.row_scales[weight.place]});
      for (const std::int32_t column : cut.complemented)
        out.complemented.push_back(place_of_column(column, proof));
      out.divisor = cut.divisor;
    }
  }

  ProofLeaf leaf_of(const Case& here, WindowProof& proof) {
    ProofLeaf leaf;
    for (const Weight& weight : here.multipliers) {
      const auto place = static_cast<std::size_t>(weight.place);
      const double value = weight.value * model_.cost_unit;
      if (place < rows_.size())
        leaf.rows.push_back({place_of_row(weight.place, proof), value * model_.row_scales[place]});
      else
        leaf.cuts.push_back({static_cast<std::int32_t>(place - rows_.size()), value});
    }
    return leaf;
  }

  static constexpr double kCap = 1;

  const Step& step_;
  WindowModel model_;
  std::vector<Inequality> rows_;
  std::vector<WindowCut> cuts_;
  double target_;
  const LinearBackend& backend_;
  CertifyLimits limits_;
  const Stop& stop_;
  std::unique_ptr<Relaxation> relaxation_;
  std::vector<Fixing> fixed_;
  std::vector<double> values_;  // of the last relaxation
  std::vector<Case> cases_;
  std::vector<Effect> effects_[2];
  Effect all_[2];
  int stalls_ = 0;
  std::int64_t relaxations_ = 0;
  std::int64_t iterations_ = 0;
  std::vector<std::optional<std::int32_t>> row_places_;
  std::vector<std::optional<std::int32_t>> column_places_;
};

}  // namespace

CertifiedWindows certify_windows(const Step& step, const WindowKeys& keys, double cost_unit,
                                 double target, const LinearBackend& backend,
                                 const CertifyLimits& limits, const Stop& stop) {
  return WindowCertifier(step, keys, cost_unit, target, backend, limits, stop).run();
}

}  // namespace poet
