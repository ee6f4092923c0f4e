#include "poet/forms/planning_gap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "poet/forms/times_in_step.h"
#include "poet/problem/facts.h"

namespace poet {

namespace {

// What the training takes at the least.
double least_training_s(const StepForms& forms, std::int64_t micro_batches, std::int64_t steps) {
  const std::vector<std::int64_t> times = times_in_step(forms, micro_batches);
  double training_s = 0;
  for (std::size_t k = 0; k < times.size(); ++k)
    training_s +=
        static_cast<double>(steps * times[k]) * unavoidable(forms.forms[k].instance.problem).time_s;
  return training_s;
}

}  // namespace

double planning_gap(const StepForms& forms, std::int64_t micro_batches, std::int64_t steps,
                    const SolveOptions& options) {
  const double training_s = least_training_s(forms, micro_batches, steps);
  if (!(training_s > 0)) return options.total_gap_ratio;
  double gap = kLargestGap;
  while (gap > kNegligible_s / training_s && gap > options.total_gap_ratio) gap /= 10;
  return std::max(gap, options.total_gap_ratio);
}

double planning_gap_in_parts(const StepForms& forms, std::int64_t micro_batches, std::int64_t steps,
                             const SolveOptions& options) {
  const double training_s = least_training_s(forms, micro_batches, steps);
  if (!(training_s > 0) || training_s > kNegligible_s)
    return planning_gap(forms, micro_batches, steps, options);
  // Of the bound, which is no less than the training takes at the least; then of the objective.
  const double of_bound = std::pow(10, std::floor(std::log10(kNegligible_s / training_s)));
  return std::max(of_bound / (1 + of_bound), options.total_gap_ratio);
}

double planning_effort_s(const StepForms& forms, std::int64_t micro_batches, std::int64_t steps) {
  const double training_s = least_training_s(forms, micro_batches, steps);
  if (!(training_s > 0)) return std::numeric_limits<double>::infinity();
  if (training_s < 10 * kShortestSearch_s) return kShortestSearch_s;
  return std::pow(10, std::floor(std::log10(training_s)));
}

double planning_effort_in_parts_s(const StepForms& forms, std::int64_t micro_batches,
                                  std::int64_t steps) {
  return std::max(planning_effort_s(forms, micro_batches, steps), kShortestSearchInParts_s);
}

double planning_effort_beside_steps_s(double effort_s) {
  return std::max(effort_s / 10, kShortestSearch_s);
}

}  // namespace poet
