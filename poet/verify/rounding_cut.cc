// Mixed-integer roundings, as certificates use them (docs/model/certificates.md §3.2).
#include "poet/verify/rounding_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "poet/verify/proof_sum.h"

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

}  // namespace poet
