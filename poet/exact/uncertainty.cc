// Costs that may be above their figures, exactly (docs/model/problem.md §4).
#include "poet/exact/uncertainty.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "poet/exact/step.h"

namespace poet::exact {
namespace {

Number sum_of_largest(std::vector<Number> values, std::int64_t most) {
  std::sort(values.begin(), values.end(), std::greater<>());
  Number sum;
  for (std::int64_t k = 0; k < std::min(most, std::ssize(values)); ++k) sum += values[k];
  return sum;
}

// The time of each cost that every schedule pays.
std::vector<Number> certain_times(const Problem& problem) {
  std::vector<Number> times;
  for (const Operation& operation : problem.operations)
    times.push_back(number_of(operation.compute_s));
  if (problem.time_mode == TimeMode::Free) return times;
  const CertainTransfers certain = certain_transfers(problem);
  for (const auto& list : certain.reads)
    for (const std::int32_t i : list) times.push_back(number_of(problem.tensors[i].page_in_s));
  for (const auto& list : certain.writes)
    for (const std::int32_t i : list) times.push_back(number_of(problem.tensors[i].page_out_s));
  return times;
}

}  // namespace

std::optional<std::string> deadline_fault(const Problem& problem) {
  if (!problem.uncertainty || !problem.deadline_s) return std::nullopt;
  const Uncertainty& given = *problem.uncertainty;
  const Number ratio = number_of(given.ratio);
  const Number asked_s = number_of(*given.deadline_s);
  Number least_s = asked_s / (1 + ratio);
  if (given.deviations) {
    const Number delay_s = ratio * sum_of_largest(certain_times(problem), *given.deviations);
    least_s = std::max(least_s, Number(asked_s - delay_s));
  }
  if (number_of(latest_end_s(*problem.deadline_s)) >= least_s) return std::nullopt;
  return "the deadline by the figures is below what that of the worst case leaves";
}

Number worst_s(const Problem& problem, const Schedule& schedule, const Number& time_s) {
  const Uncertainty& given = *problem.uncertainty;
  const Number ratio = number_of(given.ratio);
  const Number all_above_s = (1 + ratio) * time_s;
  if (!given.deviations) return all_above_s;
  std::vector<Number> executions(problem.operations.size());
  std::vector<Number> reads(problem.tensors.size());
  std::vector<Number> writes(problem.tensors.size());
  const bool timed = problem.time_mode != TimeMode::Free;
  for (const Action& action : schedule.actions) {
    if (action.kind == Action::Kind::Compute)
      executions[action.id] += number_of(problem.operations[action.id].compute_s);
    else if (action.kind == Action::Kind::PageIn && timed)
      reads[action.id] += number_of(problem.tensors[action.id].page_in_s);
    else if (action.kind == Action::Kind::PageOut && timed)
      writes[action.id] += number_of(problem.tensors[action.id].page_out_s);
  }
  std::vector<Number> paid = std::move(executions);
  paid.insert(paid.end(), reads.begin(), reads.end());
  paid.insert(paid.end(), writes.begin(), writes.end());
  const Number more_s = ratio * sum_of_largest(std::move(paid), *given.deviations);
  return std::min(all_above_s, Number(time_s + more_s));
}

}  // namespace poet::exact
