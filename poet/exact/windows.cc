// The bound of a tree of cases in exact arithmetic (docs/model/certificates.md §3).
#include "poet/exact/windows.h"

#include <algorithm>
#include <string>

namespace poet::exact {
namespace {

// x = 1 - y for the marked columns, on the way there and on the way back.
void complement(Inequality& inequality, const std::vector<bool>& marked) {
  for (auto& [column, coefficient] : inequality.terms) {
    if (!marked[column]) continue;
    inequality.most -= coefficient;
    coefficient = -coefficient;
  }
}

std::string item(const std::string& list, std::size_t place) {
  return list + " " + std::to_string(place);
}

template <typename List>
bool is_place(std::int32_t place, const List& list) {
  return place >= 0 && static_cast<std::size_t>(place) < list.size();
}

struct Weighted {
  const Inequality* inequality = nullptr;
  Number weight;
};

class Cases {
 public:
  Cases(const Step& step, const WindowPart& part) : part_(part), model_(step, part.keys) {}

  Result<Number> bound() {
    if (const Failure fault = read_rows()) return *fault;
    if (const Failure fault = read_columns()) return *fault;
    if (const Failure fault = make_cuts()) return *fault;
    return walk_tree();
  }

 private:
  Failure read_rows() {
    for (std::size_t n = 0; n < part_.rows.size(); ++n) {
      Result<Inequality> row = model_.row(part_.rows[n]);
      if (!row.ok()) return bad_input(item("row", n) + ": " + row.error().message);
      rows_.push_back(*std::move(row));
    }
    return {};
  }

  Failure read_columns() {
    for (std::size_t n = 0; n < part_.columns.size(); ++n) {
      const std::optional<std::int32_t> column = model_.column(part_.columns[n]);
      if (!column)
        return bad_input(item("column", n) + ": the window model has no column " +
                         text_of(part_.columns[n]));
      columns_.push_back(*column);
    }
    return {};
  }

  Failure make_cuts() {
    for (std::size_t n = 0; n < part_.cuts.size(); ++n) {
      const RoundingCut& cut = part_.cuts[n];
      std::vector<Weighted> parts;
      if (Failure fault = take(item("cut", n), cut.rows, cut.cuts, parts)) return fault;
      if (!(cut.divisor > 0)) return bad_input(item("cut", n) + " is divided by 0");
      std::vector<bool> complemented(model_.columns().size(), false);
      for (const std::int32_t place : cut.complemented) {
        if (!is_place(place, columns_))
          return bad_input(item("cut", n) + " complements column " + std::to_string(place) +
                           ", which is not in the list");
        complemented[columns_[place]] = true;
      }
      cuts_.push_back(
          rounded(sum_of(parts), model_.columns(), complemented, number_of(cut.divisor)));
    }
    return {};
  }

  // Rows and cuts (of those made so far) by their places, with their weights.
  Failure take(const std::string& name, const std::vector<Weight>& rows,
               const std::vector<Weight>& cuts, std::vector<Weighted>& parts) const {
    for (const auto* const list : {&rows, &cuts}) {
      const std::string what = list == &rows ? "row " : "cut ";
      const std::vector<Inequality>& known = list == &rows ? rows_ : cuts_;
      for (const Weight& weight : *list) {
        if (!is_place(weight.place, known))
          return bad_input(name + " names " + what + std::to_string(weight.place) +
                           ", which is not there before it");
        parts.push_back({&known[weight.place], number_of(weight.value)});
      }
    }
    return {};
  }

  Inequality sum_of(const std::vector<Weighted>& parts) const {
    std::map<std::int32_t, Number> sums;
    Inequality sum;
    for (const Weighted& part : parts) {
      sum.most += part.weight * part.inequality->most;
      for (const auto& [column, coefficient] : part.inequality->terms)
        sums[column] += part.weight * coefficient;
    }
    for (auto& [column, coefficient] : sums)
      if (coefficient != 0) sum.terms.emplace_back(column, std::move(coefficient));
    return sum;
  }

  // From the root on; what is left to visit, with what was decided on the way.
  Result<Number> walk_tree() {
    struct Visit {
      std::int32_t node = 0;
      std::size_t depth = 0;                    // decisions that hold for it, and its own
      std::optional<std::int32_t> column = {};  // the last of them; none: the root
      bool is_one = false;
    };
    if (part_.nodes.empty()) return bad_input("there is no node");
    fixed_.assign(model_.columns().size(), std::nullopt);
    std::vector<bool> seen(part_.nodes.size(), false);
    std::vector<std::int32_t> path;
    std::optional<Number> least;
    std::vector<Visit> left = {{}};
    while (!left.empty()) {
      const Visit visit = left.back();
      left.pop_back();
      for (; path.size() > visit.depth; path.pop_back()) fixed_[path.back()].reset();
      const std::string name = item("node", visit.node);
      if (seen[visit.node]) return bad_input(name + " belongs to two nodes");
      seen[visit.node] = true;
      if (visit.column) {
        if (fixed_[*visit.column]) return bad_input(name + " decides what was decided before it");
        fixed_[*visit.column] = visit.is_one;
        path.push_back(*visit.column);
      }
      if (const auto* const leaf = std::get_if<Leaf>(&part_.nodes[visit.node])) {
        const Result<Number> here = bound_of_leaf(name, *leaf);
        if (!here.ok()) return here;
        if (!least || *here < *least) least = *here;
        continue;
      }
      const Branch& branch = std::get<Branch>(part_.nodes[visit.node]);
      if (const Failure fault = fault_of_branch(name, visit.node, branch)) return *fault;
      const std::int32_t column = columns_[branch.column];
      left.push_back({branch.zero, path.size(), column, false});
      left.push_back({branch.one, path.size(), column, true});
    }
    const auto lost = std::find(seen.begin(), seen.end(), false);
    if (lost != seen.end())
      return bad_input(item("node", lost - seen.begin()) + " belongs to no node");
    return *least;
  }

  Failure fault_of_branch(const std::string& name, std::int32_t node, const Branch& branch) const {
    if (!is_place(branch.column, columns_))
      return bad_input(name + " branches on column " + std::to_string(branch.column) +
                       ", which is not in the list");
    if (!model_.columns()[columns_[branch.column]].whole)
      return bad_input(name + " branches on " + text_of(part_.columns[branch.column]) +
                       ", which need not be whole");
    for (const std::int32_t child : {branch.zero, branch.one})
      if (child <= node || !is_place(child, part_.nodes))
        return bad_input(name + " needs two nodes behind it, not node " + std::to_string(child));
    return {};
  }

  // No values of the columns that keep the rows and the decisions cost less: the cost and each row
  // times its multiplier, with every column where that is least.
  Result<Number> bound_of_leaf(const std::string& name, const Leaf& leaf) const {
    std::vector<Weighted> parts;
    if (Failure fault = take(name, leaf.rows, leaf.cuts, parts)) return *fault;
    std::vector<Number> reduced(model_.columns().size());
    for (std::size_t c = 0; c < reduced.size(); ++c) reduced[c] = model_.columns()[c].cost;
    Number bound = model_.constant_cost();
    for (const Weighted& part : parts) {
      bound -= part.weight * part.inequality->most;
      for (const auto& [column, coefficient] : part.inequality->terms)
        reduced[column] += part.weight * coefficient;
    }
    for (std::size_t c = 0; c < reduced.size(); ++c)
      if (fixed_[c] ? *fixed_[c] : reduced[c] < 0) bound += reduced[c];
    return bound;
  }

  const WindowPart& part_;
  WindowRows model_;
  std::vector<Inequality> rows_;
  std::vector<std::int32_t> columns_;
  std::vector<Inequality> cuts_;
  std::vector<std::optional<bool>> fixed_;  // per column
};

}  // namespace

Inequality rounded(const Inequality& sum, const std::vector<Column>& columns,
                   const std::vector<bool>& complemented, const Number& divisor) {
  Inequality cut = sum;
  complement(cut, complemented);
  cut.most /= divisor;
  const Number whole = floor_of(cut.most);
  const Number f = cut.most - whole;
  const Number rest = 1 - f;  // above 0
  for (auto& [column, coefficient] : cut.terms) {
    const Number a = coefficient / divisor;
    Number b;
    if (columns[column].whole) {
      b = floor_of(a);
      const Number beyond = a - b - f;
      if (beyond > 0) b += beyond / rest;
    } else if (a < 0) {
      b = a / rest;
    }
    coefficient = rounded_down(b, kCutBits);
  }
  cut.most = whole;
  complement(cut, complemented);
  return cut;
}

Result<Number> bound_of(const Step& step, const WindowPart& part) {
  for (std::size_t n = 0; n < part.keys.size(); ++n) {
    const std::string key = "key " + std::to_string(part.keys[n]);
    if (part.keys[n] >= step.stages()) return bad_input(key + " is not a stage of the problem");
    if (n > 0 && part.keys[n] <= part.keys[n - 1])
      return bad_input(key + " must come before key " + std::to_string(part.keys[n - 1]));
  }
  return Cases(step, part).bound();
}

}  // namespace poet::exact
