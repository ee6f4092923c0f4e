#include "poet/measure/power_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "poet/measure/inseparable_terms.h"

namespace poet {
namespace {

// Sweeps over all terms, at most; a fit whose terms are well apart takes a few.
constexpr int kMostSweeps = 20'000;
// A sweep that changes less than this part of what was measured is the last.
constexpr double kLastChange = 1e-10;

// What rows are made of: the columns of the fit, in their use of rows.
struct FitColumns {
  struct Use {
    std::size_t row = 0;
    double count = 0;
  };
  std::vector<std::vector<Use>> columns = {};  // by term, or by terms that stand together
  std::vector<double> weights = {};            // by row
};

struct FitSolution {
  std::vector<double> values = {};
  bool converged = false;
};

// min sum_r w_r (y_r - sum_j a_rj x_j)^2 over x >= 0, by the exact minimum along one x_j after the
// other. The terms are many and each row has few, so that a sweep takes as long as there are uses;
// a matrix of normal equations would square them.
FitSolution non_negative_fit(const FitColumns& fit, std::vector<double> rest) {
  FitSolution solution{std::vector<double>(fit.columns.size(), 0)};
  double largest = 0;
  for (std::size_t r = 0; r < rest.size(); ++r) largest += fit.weights[r] * rest[r] * rest[r];
  const double least_change = kLastChange * std::sqrt(largest);
  for (int sweep = 0; sweep < kMostSweeps && !solution.converged; ++sweep) {
    solution.converged = true;
    for (std::size_t j = 0; j < fit.columns.size(); ++j) {
      double slope = 0;
      double square = 0;
      for (const FitColumns::Use& use : fit.columns[j]) {
        slope += fit.weights[use.row] * use.count * rest[use.row];
        square += fit.weights[use.row] * use.count * use.count;
      }
      if (!(square > 0)) continue;
      double& value = solution.values[j];
      const double change = std::max(-value, slope / square);
      value += change;
      for (const FitColumns::Use& use : fit.columns[j]) rest[use.row] -= change * use.count;
      if (std::abs(change) * std::sqrt(square) > least_change) solution.converged = false;
    }
  }
  return solution;
}

std::vector<RowUses> uses_of(const std::vector<LoggedAction>& step, const PowerRows& rows) {
  std::vector<RowUses> list;
  for (const PowerRow& row : rows.rows) {
    std::map<std::int32_t, double> counts;
    for (std::int64_t k = row.begin; k < row.end; ++k)
      for (const TermUse& use : step[static_cast<std::size_t>(k)].terms)
        counts[use.term] += use.count;
    RowUses& uses = list.emplace_back();
    for (const auto& [term, count] : counts) uses.push_back({term, count});
  }
  return list;
}

// The terms of the fit as its unknowns: each by itself, or several as one in proportion to what is
// expected of them.
struct FitUnknowns {
  std::vector<std::size_t> of_term = {};  // the unknown's number
  std::vector<double> share = {};         // what a use of the term counts for in it; whole
  std::size_t count = 0;
};

FitColumns columns_of(const std::vector<RowUses>& uses, const PowerRows& rows,
                      const FitUnknowns& unknowns) {
  FitColumns fit;
  fit.columns.resize(unknowns.count);
  for (std::size_t r = 0; r < uses.size(); ++r) {
    std::map<std::size_t, double> counts;
    for (const TermUse& use : uses[r]) {
      const auto term = static_cast<std::size_t>(use.term);
      counts[unknowns.of_term[term]] += use.count * unknowns.share[term];
    }
    for (const auto& [unknown, count] : counts) fit.columns[unknown].push_back({r, count});
    double seconds = 0;
    for (const double part : rows.rows[r].seconds) seconds += part;
    fit.weights.push_back(seconds > 0 ? 1 / seconds : 0);
  }
  return fit;
}

// Means of a step, of the whole log or of one part of it.
using PartFigures = std::array<double, kLogParts> PowerRow::*;

std::vector<double> row_means(const PowerRows& rows, PartFigures figure) {
  std::vector<double> means;
  for (const PowerRow& row : rows.rows) {
    double sum = 0;
    for (const double part : row.*figure) sum += part;
    means.push_back(sum / static_cast<double>(rows.all_steps()));
  }
  return means;
}

std::vector<double> part_means(const PowerRows& rows, PartFigures figure, std::size_t part) {
  std::vector<double> means;
  for (const PowerRow& row : rows.rows)
    means.push_back((row.*figure)[part] / static_cast<double>(rows.steps[part]));
  return means;
}

// The mean of the parts' fits is as uncertain as these lie apart.
std::vector<std::optional<double>> errors_of(const FitColumns& fit, const PowerRows& rows,
                                             PartFigures figure) {
  std::vector<std::optional<double>> errors(fit.columns.size());
  std::vector<double> sums(fit.columns.size(), 0);
  std::vector<double> squares(fit.columns.size(), 0);
  double parts = 0;
  std::vector<FitSolution> solutions;
  for (std::size_t part = 0; part < kLogParts; ++part)
    if (rows.steps[part] > 0)
      solutions.push_back(non_negative_fit(fit, part_means(rows, figure, part)));
  parts = static_cast<double>(solutions.size());
  if (parts < 2) return errors;
  for (const FitSolution& one : solutions)
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += one.values[j] / parts;
  for (const FitSolution& one : solutions)
    for (std::size_t j = 0; j < sums.size(); ++j)
      squares[j] += (one.values[j] - sums[j]) * (one.values[j] - sums[j]);
  for (std::size_t j = 0; j < sums.size(); ++j)
    errors[j] = std::sqrt(squares[j] / (parts - 1) / parts);
  return errors;
}

std::vector<double> missed(const FitColumns& fit, const std::vector<double>& values,
                           std::vector<double> measured) {
  for (std::size_t j = 0; j < values.size(); ++j)
    for (const FitColumns::Use& use : fit.columns[j]) measured[use.row] -= values[j] * use.count;
  return measured;
}

double root_mean_square(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number * number;
  return numbers.empty() ? 0 : std::sqrt(sum / static_cast<double>(numbers.size()));
}

// Fills one figure of all terms; answers by how much each row is missed.
std::vector<double> fit_figure(const FitColumns& fit, const PowerRows& rows,
                               const FitUnknowns& unknowns, PartFigures figure,
                               TermFigure TermFit::*into, PowerFit& out) {
  const std::vector<double> measured = row_means(rows, figure);
  const FitSolution solution = non_negative_fit(fit, measured);
  const std::vector<std::optional<double>> errors = errors_of(fit, rows, figure);
  out.converged = out.converged && solution.converged;
  for (std::size_t t = 0; t < out.terms.size(); ++t) {
    const std::size_t unknown = unknowns.of_term[t];
    TermFigure& term = out.terms[t].*into;
    term.value = solution.values[unknown] * unknowns.share[t];
    if (errors[unknown]) term.error = *errors[unknown] * unknowns.share[t];
  }
  return missed(fit, solution.values, measured);
}

double ratio_of(const std::vector<double>& missing, const std::vector<double>& measured) {
  const double all = root_mean_square(measured);
  return all > 0 ? root_mean_square(missing) / all : 0;
}

// Whole picoseconds, so that sums of terms in proportion are as exact as counts.
double whole_share(double seconds) {
  return std::max(1.0, std::round(seconds * 1e12));
}

FitUnknowns each_by_itself(std::size_t terms) {
  FitUnknowns unknowns{.share = std::vector<double>(terms, 1), .count = terms};
  for (std::size_t t = 0; t < terms; ++t) unknowns.of_term.push_back(t);
  return unknowns;
}

std::vector<RowUses> uses_of_unknowns(const std::vector<RowUses>& uses,
                                      const FitUnknowns& unknowns) {
  std::vector<RowUses> list;
  for (const RowUses& row : uses) {
    std::map<std::int32_t, double> counts;
    for (const TermUse& use : row) {
      const auto term = static_cast<std::size_t>(use.term);
      counts[static_cast<std::int32_t>(unknowns.of_term[term])] += use.count * unknowns.share[term];
    }
    RowUses& of_row = list.emplace_back();
    for (const auto& [unknown, count] : counts) of_row.push_back({unknown, count});
  }
  return list;
}

// For each term, the set of unknowns that its own cannot be told apart from, or 0.
std::vector<std::int32_t> sets_of_terms(const std::vector<RowUses>& uses,
                                        const FitUnknowns& unknowns) {
  const std::vector<std::int32_t> of_unknown =
      inseparable_terms(uses_of_unknowns(uses, unknowns), unknowns.count);
  std::vector<std::int32_t> sets;
  for (const std::size_t unknown : unknowns.of_term) sets.push_back(of_unknown[unknown]);
  return sets;
}

// In which rows a term is, and in what proportion.
using TermPattern = std::vector<std::pair<std::size_t, std::int64_t>>;

std::vector<TermPattern> patterns_of(const std::vector<RowUses>& uses, std::size_t terms) {
  std::vector<TermPattern> patterns(terms);
  for (std::size_t r = 0; r < uses.size(); ++r)
    for (const TermUse& use : uses[r])
      patterns[static_cast<std::size_t>(use.term)].emplace_back(
          r, static_cast<std::int64_t>(use.count));
  for (TermPattern& pattern : patterns) {
    std::int64_t common = 0;
    for (const auto& [row, count] : pattern) common = std::gcd(common, count);
    for (auto& [row, count] : pattern) count /= std::max<std::int64_t>(1, common);
  }
  return patterns;
}

// Makes one unknown of those terms that have the same label; without a label a term stays what it
// is.
template <typename Label>
void join(const std::vector<std::optional<Label>>& labels,
          const std::vector<ExpectedTerm>& expected, FitUnknowns& unknowns) {
  std::map<Label, std::size_t> first;
  std::vector<std::size_t> joined(unknowns.count);
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (!labels[t]) continue;
    unknowns.share[t] = whole_share(expected[t].seconds);
    joined[unknowns.of_term[t]] = first.emplace(*labels[t], unknowns.of_term[t]).first->second;
  }
  for (std::size_t& unknown : unknowns.of_term) unknown = joined[unknown];
}

// Terms that the log does not tell apart, and of which all in the set are expected to take some
// time.
std::vector<bool> can_be_divided(const std::vector<std::int32_t>& sets,
                                 const std::vector<ExpectedTerm>& expected) {
  std::map<std::int32_t, bool> is_known;
  for (std::size_t t = 0; t < sets.size(); ++t) {
    bool& known = is_known.emplace(sets[t], true).first->second;
    known = known && expected[t].seconds > 0;
  }
  std::vector<bool> can;
  for (const std::int32_t set : sets) can.push_back(set != 0 && is_known.at(set));
  return can;
}

// Joins as few terms as make the rest known.
FitUnknowns joined_unknowns(const std::vector<RowUses>& uses,
                            const std::vector<ExpectedTerm>& expected,
                            const std::vector<bool>& can) {
  FitUnknowns unknowns = each_by_itself(expected.size());
  const std::vector<TermPattern> patterns = patterns_of(uses, expected.size());
  std::vector<std::optional<TermPattern>> by_rows(expected.size());
  for (std::size_t t = 0; t < can.size(); ++t)
    if (can[t]) by_rows[t] = patterns[t];
  join(by_rows, expected, unknowns);
  for (const bool by_family : {true, false}) {
    const std::vector<std::int32_t> sets = sets_of_terms(uses, unknowns);
    std::vector<std::optional<std::pair<std::int32_t, int>>> labels(expected.size());
    for (std::size_t t = 0; t < can.size(); ++t)
      if (can[t] && sets[t] != 0) labels[t] = {sets[t], by_family ? expected[t].family : 0};
    join(labels, expected, unknowns);
  }
  return unknowns;
}

void number_sets(const std::vector<std::int32_t>& sets, const std::vector<bool>& can,
                 const FitUnknowns& unknowns, std::vector<TermFit>& terms) {
  // A set that is not divided has its terms' sets, one that is has what was made one of it.
  std::map<std::pair<bool, std::int64_t>, std::int32_t> numbers;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (sets[t] == 0) continue;
    const std::pair<bool, std::int64_t> name = {
        can[t], can[t] ? static_cast<std::int64_t>(unknowns.of_term[t]) : sets[t]};
    const auto next = static_cast<std::int32_t>(numbers.size()) + 1;
    terms[t].together = numbers.emplace(name, next).first->second;
    terms[t].divided = can[t];
  }
}

}  // namespace

PowerFit fit_power(const std::vector<LoggedAction>& step, const PowerRows& rows,
                   const std::vector<ExpectedTerm>& terms) {
  PowerFit out;
  out.terms.resize(terms.size());
  const std::vector<RowUses> uses = uses_of(step, rows);
  const std::vector<std::int32_t> sets = inseparable_terms(uses, terms.size());
  const std::vector<bool> can = can_be_divided(sets, terms);
  const FitUnknowns unknowns = joined_unknowns(uses, terms, can);
  number_sets(sets, can, unknowns, out.terms);
  const FitColumns fit = columns_of(uses, rows, unknowns);
  const std::vector<double> missed_s =
      fit_figure(fit, rows, unknowns, &PowerRow::seconds, &TermFit::seconds, out);
  const std::vector<double> missed_j =
      fit_figure(fit, rows, unknowns, &PowerRow::joules, &TermFit::joules, out);
  out.seconds_residual_ratio = ratio_of(missed_s, row_means(rows, &PowerRow::seconds));
  out.joules_residual_ratio = ratio_of(missed_j, row_means(rows, &PowerRow::joules));
  for (std::size_t r = 0; r < missed_j.size(); ++r) {
    if (std::abs(missed_j[r]) <= std::abs(out.worst_row_j)) continue;
    out.worst_row = static_cast<std::int64_t>(r);
    out.worst_row_j = missed_j[r];
  }
  return out;
}

}  // namespace poet
