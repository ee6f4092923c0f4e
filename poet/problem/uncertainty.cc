// Costs that may be above their figures (docs/model/problem.md §4.3).
#include "poet/problem/uncertainty.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// The times of what every schedule does at least once (docs/model/problem.md §2.5), each apart.
std::vector<double> unavoidable_times_s(const Problem& problem) {
  std::vector<double> times;
  for (const Operation& operation : problem.operations) times.push_back(operation.compute_s);
  if (problem.time_mode == TimeMode::Free) return times;
  const std::vector<std::vector<OperationId>> all_readers = readers(problem);
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    if (tensor.view_of) continue;
    if (tensor.home == Home::Storage && !tensor.may_be_resident && !all_readers[i].empty())
      times.push_back(tensor.page_in_s);
    if (!tensor.updates) continue;
    const Tensor& old = at(problem.tensors, *tensor.updates);
    if (old.home == Home::Storage && !old.may_be_resident) times.push_back(tensor.page_out_s);
  }
  return times;
}

}  // namespace

double least_delay_s(const Problem& problem) {
  if (!problem.uncertainty) return 0;
  std::vector<double> times = unavoidable_times_s(problem);
  std::sort(times.begin(), times.end(), std::greater<>());
  const std::int64_t most = problem.uncertainty->deviations.value_or(std::ssize(times));
  double sum_s = 0;
  for (std::int64_t k = 0; k < std::min(most, std::ssize(times)); ++k) sum_s += times[k];
  return problem.uncertainty->ratio * sum_s;
}

double figures_deadline_s(const Problem& problem, double deadline_s) {
  if (!problem.uncertainty) return deadline_s;
  const double with_all_above_s = deadline_s / (1 + problem.uncertainty->ratio);
  if (!problem.uncertainty->deviations) return with_all_above_s;
  return std::max(with_all_above_s, deadline_s - least_delay_s(problem));
}

double least_worst_s(const Problem& problem, double time_s) {
  if (!problem.uncertainty) return time_s;
  const double with_all_above_s = time_s * (1 + problem.uncertainty->ratio);
  if (!problem.uncertainty->deviations) return with_all_above_s;
  return std::min(with_all_above_s, time_s + least_delay_s(problem));
}

void set_deadline(Problem& problem, double deadline_s) {
  problem.deadline_s = figures_deadline_s(problem, deadline_s);
  if (problem.uncertainty) problem.uncertainty->deadline_s = deadline_s;
}

std::optional<double> asked_deadline_s(const Problem& problem) {
  return problem.uncertainty ? problem.uncertainty->deadline_s : problem.deadline_s;
}

Problem by_the_figures(Problem problem) {
  problem.uncertainty.reset();
  return problem;
}

std::string uncertainty_words(const Uncertainty& uncertainty) {
  const std::string part = fmt::format("{:.6g} %", 100 * uncertainty.ratio);
  if (!uncertainty.deviations) return fmt::format("every cost may be {} above its figure", part);
  const std::int64_t most = *uncertainty.deviations;
  if (most == 1) return fmt::format("one cost may be {} above its figure", part);
  return fmt::format("up to {} costs may be {} above their figures", grouped_digits(most), part);
}

}  // namespace poet
