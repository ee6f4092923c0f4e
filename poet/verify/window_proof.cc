// The bound of a certificate's tree of cases (docs/model/certificates.md §3.3), and the
// mixed-integer roundings that it uses (docs/model/certificates.md §3.2).
#include "poet/verify/window_proof.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "poet/verify/proof_sum.h"
#include "poet/verify/window_rows.h"

namespace poet {
namespace {

// A fraction nearer to 1 than this would blow rounding up.
constexpr double kLeastRest = 1e-6;

// Every column is between 0 and 1, so a coefficient that is off by some part of itself moves the
// left-hand side by no more than that part.
double slack_for(const ProofInequality& inequality) {
  double magnitude = std::abs(inequality.most);
  for (const auto& [column, coefficient] : inequality.terms) magnitude += std::abs(coefficient);
  return kProofRounding * magnitude;
}

// x = 1 - y for the marked columns, on the way there and on the way back.
void complement(ProofInequality& inequality, const std::vector<bool>& marked) {
  for (auto& [column, coefficient] : inequality.terms) {
    if (!marked[column]) continue;
    inequality.most -= coefficient;
    coefficient = -coefficient;
  }
}

std::string item(const std::string& list, std::size_t place) {
  return list + " " + std::to_string(place);
}

Failure fault_of_keys(const ProofStep& step, const std::vector<std::int32_t>& keys) {
  for (std::size_t n = 0; n < keys.size(); ++n) {
    if (keys[n] < 0 || keys[n] >= step.stages())
      return bad_input("key " + std::to_string(keys[n]) + " is not a stage of the problem");
    if (n > 0 && keys[n] <= keys[n - 1])
      return bad_input("key " + std::to_string(keys[n]) + " must come before key " +
                       std::to_string(keys[n - 1]));
  }
  return {};
}

class WindowChecker {
 public:
  WindowChecker(const ProofStep& step, const WindowProof& proof)
      : proof_(proof), model_(step, proof.keys) {}

  Result<double> run() {
    if (const Failure fault = read_rows()) return *fault;
    if (const Failure fault = read_columns()) return *fault;
    if (const Failure fault = read_cuts()) return *fault;
    return walk_tree();
  }

 private:
  Failure read_rows() {
    for (std::size_t n = 0; n < proof_.rows.size(); ++n) {
      Result<ProofInequality> row = model_.row(proof_.rows[n]);
      if (!row.ok()) return bad_input(item("row", n) + ": " + row.error().message);
      rows_.push_back(*std::move(row));
    }
    return {};
  }

  Failure read_columns() {
    for (std::size_t n = 0; n < proof_.columns.size(); ++n) {
      const std::optional<std::int32_t> column = model_.column(proof_.columns[n]);
      if (!column)
        return bad_input(item("column", n) + ": the window model has no column " +
                         name_text(proof_.columns[n]));
      columns_.push_back(*column);
    }
    return {};
  }

  Failure read_cuts() {
    for (std::size_t n = 0; n < proof_.cuts.size(); ++n) {
      const RoundingCut& cut = proof_.cuts[n];
      std::vector<WeightedInequality> parts;
      if (Failure fault = take(item("cut", n), cut.rows, cut.cuts, parts)) return fault;
      std::vector<bool> complemented(model_.columns().size(), false);
      for (const std::int32_t place : cut.complemented) {
        if (!is_place(place, columns_.size()))
          return bad_input(item("cut", n) + " complements column " + std::to_string(place) +
                           ", which is not in the list");
        complemented[columns_[place]] = true;
      }
      Result<ProofInequality> made = rounded(sum_of(parts, model_.columns().size()),
                                             model_.columns(), complemented, cut.divisor);
      if (!made.ok()) return bad_input(item("cut", n) + " " + made.error().message);
      cuts_.push_back(*std::move(made));
    }
    return {};
  }

  template <typename Index>
  static bool is_place(Index place, std::size_t size) {
    return place >= 0 && static_cast<std::size_t>(place) < size;
  }

  // Rows and cuts (of those made so far) by their places, with their weights.
  Failure take(const std::string& name, const std::vector<Weight>& rows,
               const std::vector<Weight>& cuts, std::vector<WeightedInequality>& parts) const {
    const auto take_from = [&](const std::string& what, const std::vector<Weight>& weights,
                               const std::vector<ProofInequality>& list) -> Failure {
      for (const Weight& weight : weights) {
        if (!is_place(weight.place, list.size()))
          return bad_input(name + " names " + what + " " + std::to_string(weight.place) +
                           ", which is not there before it");
        if (!is_multiplier(weight.value))
          return bad_input(name + " has a multiplier that is not from 0 to 1e100 for " + what +
                           " " + std::to_string(weight.place));
        parts.push_back({&list[weight.place], weight.value});
      }
      return {};
    };
    if (Failure fault = take_from("row", rows, rows_)) return fault;
    return take_from("cut", cuts, cuts_);
  }

  // From the root on; what is left to visit, with what was decided on the way.
  Result<double> walk_tree() {
    if (proof_.nodes.empty()) return bad_input("there is no node");
    struct Visit {
      std::int32_t node = 0;
      std::size_t depth = 0;          // decisions that hold for it
      std::int32_t column = 0;        // the last of them
      std::optional<double> value{};  // none: the root
    };
    fixed_.assign(model_.columns().size(), std::nullopt);
    std::vector<std::int32_t> path;
    std::vector<bool> seen(proof_.nodes.size(), false);
    double bound = std::numeric_limits<double>::infinity();
    std::vector<Visit> left = {{}};
    while (!left.empty()) {
      const Visit visit = left.back();
      left.pop_back();
      for (; path.size() > visit.depth; path.pop_back()) fixed_[path.back()].reset();
      if (visit.value) {
        if (fixed_[visit.column])
          return bad_input(item("node", visit.node) + " decides what was decided before it");
        fixed_[visit.column] = visit.value;
        path.push_back(visit.column);
      }
      if (seen[visit.node]) return bad_input(item("node", visit.node) + " belongs to two nodes");
      seen[visit.node] = true;
      if (const auto* const leaf = std::get_if<ProofLeaf>(&proof_.nodes[visit.node])) {
        const Result<double> here = bound_of_leaf(visit.node, *leaf);
        if (!here.ok()) return here;
        bound = std::min(bound, *here);
        continue;
      }
      const ProofBranch& branch = std::get<ProofBranch>(proof_.nodes[visit.node]);
      if (Failure fault = fault_of_branch(visit.node, branch)) return *fault;
      const std::int32_t column = columns_[branch.column];
      left.push_back({branch.zero, path.size(), column, 0.0});
      left.push_back({branch.one, path.size(), column, 1.0});
    }
    const auto lost = std::find(seen.begin(), seen.end(), false);
    if (lost != seen.end())
      return bad_input(item("node", lost - seen.begin()) + " belongs to no node");
    return bound;
  }

  Failure fault_of_branch(std::int32_t node, const ProofBranch& branch) const {
    if (!is_place(branch.column, columns_.size()))
      return bad_input(item("node", node) + " branches on column " + std::to_string(branch.column) +
                       ", which is not in the list");
    if (!model_.columns()[columns_[branch.column]].whole)
      return bad_input(item("node", node) + " branches on " +
                       name_text(proof_.columns[branch.column]) + ", which need not be whole");
    for (const std::int32_t child : {branch.zero, branch.one})
      if (child <= node || !is_place(child, proof_.nodes.size()))
        return bad_input(item("node", node) + " needs two nodes behind it, not node " +
                         std::to_string(child));
    return {};
  }

  // No values of the columns that keep the rows and the decisions cost less: the cost and each row
  // times its multiplier, with every column where that is least.
  Result<double> bound_of_leaf(std::int32_t node, const ProofLeaf& leaf) const {
    std::vector<WeightedInequality> parts;
    if (Failure fault = take(item("node", node), leaf.rows, leaf.cuts, parts)) return *fault;
    std::vector<ProofSum> reduced(model_.columns().size());
    ProofSum bound;
    bound.add(model_.constant_cost());
    for (std::size_t c = 0; c < reduced.size(); ++c) reduced[c].add(model_.columns()[c].cost);
    for (const WeightedInequality& part : parts) {
      bound.add(-part.weight * part.inequality->most);
      for (const auto& [column, coefficient] : part.inequality->terms)
        reduced[column].add(part.weight * coefficient);
    }
    for (std::size_t c = 0; c < reduced.size(); ++c) {
      const double at_one = reduced[c].value();
      bound.add(fixed_[c] ? *fixed_[c] * at_one : std::min(0.0, at_one));
    }
    return bound.value();
  }

  const WindowProof& proof_;
  WindowRows model_;
  std::vector<ProofInequality> rows_;
  std::vector<std::int32_t> columns_;
  std::vector<ProofInequality> cuts_;
  std::vector<std::optional<double>> fixed_;  // per column
};

}  // namespace

ProofInequality sum_of(const std::vector<WeightedInequality>& parts, std::size_t columns) {
  std::vector<double> sums(columns, 0.0), magnitudes(columns, 0.0);
  std::vector<std::int32_t> touched;
  ProofSum right;  // of what is taken off: comes out too small, so the right-hand side too large
  double lost = 0;
  for (const WeightedInequality& part : parts) {
    right.add(-part.weight * part.inequality->most);
    for (const auto& [column, coefficient] : part.inequality->terms) {
      if (magnitudes[column] == 0) touched.push_back(column);
      sums[column] += part.weight * coefficient;
      magnitudes[column] += std::abs(part.weight * coefficient);
      lost += kProofRounding * std::abs(part.weight * coefficient);
    }
  }
  ProofInequality sum;
  sum.most = -right.value() + lost;
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const std::int32_t column : touched)
    if (sums[column] != 0) sum.terms.emplace_back(column, sums[column]);
  return sum;
}

Result<ProofInequality> rounded(const ProofInequality& sum, const std::vector<ProofColumn>& columns,
                                const std::vector<bool>& complemented, double divisor) {
  if (!is_multiplier(divisor) || !is_multiplier(1 / divisor))
    return bad_input("has a divisor that is not from 1e-100 to 1e100");
  ProofInequality cut = sum;
  complement(cut, complemented);
  cut.most += slack_for(cut);
  for (auto& [column, coefficient] : cut.terms) coefficient /= divisor;
  cut.most /= divisor;
  cut.most += slack_for(cut);

  const double whole = std::floor(cut.most);
  const double f = cut.most - whole;
  if (!(1 - f >= kLeastRest) || !std::isfinite(whole))
    return bad_input("has a right-hand side that leaves nothing to round");
  for (auto& [column, a] : cut.terms) {
    if (columns[column].whole)
      a = std::floor(a) + std::max(0.0, (a - std::floor(a)) - f) / (1 - f);
    else
      a = std::min(0.0, a) / (1 - f);
  }
  cut.most = whole;
  cut.most += slack_for(cut) / (1 - f);
  complement(cut, complemented);
  cut.most += slack_for(cut);
  if (!(slack_for(cut) <= kProofRounding * kLargestCoefficient))
    return bad_input("has coefficients that are too large");
  return cut;
}

Result<double> bound_of(const ProofStep& step, const WindowProof& proof) {
  if (const Failure fault = fault_of_keys(step, proof.keys)) return *fault;
  return WindowChecker(step, proof).run();
}

}  // namespace poet
