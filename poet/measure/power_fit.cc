#include "poet/measure/power_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

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

// The terms of the fit as its unknowns: those by themselves, and sets as one where the expected
// figures say in what proportion.
struct FitUnknowns {
  std::vector<std::size_t> of_term = {};  // the unknown's number
  std::vector<double> share = {};         // what a use of the term counts for in it
  std::size_t count = 0;
};

FitUnknowns unknowns_of(const std::vector<TermFit>& terms, const std::vector<double>& expected) {
  FitUnknowns unknowns;
  std::map<std::int32_t, std::size_t> of_set;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    std::size_t number = unknowns.count;
    if (terms[t].divided) {
      number = of_set.emplace(terms[t].together, number).first->second;
      unknowns.share.push_back(expected[t]);
    } else {
      unknowns.share.push_back(1);
    }
    unknowns.of_term.push_back(number);
    unknowns.count = std::max(unknowns.count, number + 1);
  }
  return unknowns;
}

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

// Sets of which every term's expected figure is known are divided by these.
void divide_sets(const std::vector<double>& expected, std::vector<TermFit>& terms) {
  std::map<std::int32_t, bool> is_known;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (terms[t].together == 0) continue;
    bool& known = is_known.emplace(terms[t].together, true).first->second;
    known = known && expected[t] > 0;
  }
  for (TermFit& term : terms) term.divided = term.together != 0 && is_known.at(term.together);
}

}  // namespace

PowerFit fit_power(const std::vector<LoggedAction>& step, const PowerRows& rows,
                   const std::vector<double>& expected) {
  PowerFit out;
  out.terms.resize(expected.size());
  const std::vector<RowUses> uses = uses_of(step, rows);
  const std::vector<std::int32_t> sets = inseparable_terms(uses, expected.size());
  for (std::size_t t = 0; t < sets.size(); ++t) out.terms[t].together = sets[t];
  divide_sets(expected, out.terms);
  const FitUnknowns unknowns = unknowns_of(out.terms, expected);
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
