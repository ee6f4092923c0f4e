// The worst case of a replayed step (docs/model/problem.md §4.2).
#include "poet/verify/worst_case.h"

#include <algorithm>
#include <functional>

namespace poet {
namespace {

// What the step paid for each cost by the figures, in time and in energy.
struct Shares {
  std::vector<double> times_s = {};
  std::vector<double> energies_j = {};

  void add(std::int64_t count, double time_s, double energy_j, double idle_w) {
    const auto times = static_cast<double>(count);
    times_s.push_back(times * time_s);
    energies_j.push_back(times * (energy_j + idle_w * time_s));
  }
};

Shares shares_of(const Problem& problem, const PaidCosts& paid) {
  Shares shares;
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    shares.add(paid.executions[v], problem.operations[v].compute_s, problem.operations[v].compute_j,
               problem.idle_w);
  const bool timed = problem.time_mode != TimeMode::Free;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    shares.add(paid.reads[i], timed ? tensor.page_in_s : 0, tensor.page_in_j, problem.idle_w);
    shares.add(paid.writes[i], timed ? tensor.page_out_s : 0, tensor.page_out_j, problem.idle_w);
  }
  return shares;
}

double sum_of_largest(std::vector<double> values, std::int64_t most) {
  std::sort(values.begin(), values.end(), std::greater<>());
  double sum = 0;
  for (std::int64_t k = 0; k < std::min(most, std::ssize(values)); ++k) sum += values[k];
  return sum;
}

}  // namespace

WorstCase worst_case(const Problem& problem, const PaidCosts& paid, double time_s,
                     double energy_j) {
  const Uncertainty& uncertainty = *problem.uncertainty;
  WorstCase worst = {(1 + uncertainty.ratio) * time_s, (1 + uncertainty.ratio) * energy_j};
  if (!uncertainty.deviations) return worst;
  Shares shares = shares_of(problem, paid);
  const double more_s = sum_of_largest(std::move(shares.times_s), *uncertainty.deviations);
  const double more_j = sum_of_largest(std::move(shares.energies_j), *uncertainty.deviations);
  worst.time_s = std::min(worst.time_s, time_s + uncertainty.ratio * more_s);
  worst.energy_j = std::min(worst.energy_j, energy_j + uncertainty.ratio * more_j);
  return worst;
}

}  // namespace poet
