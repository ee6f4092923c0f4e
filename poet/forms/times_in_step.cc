#include "poet/forms/times_in_step.h"

#include <algorithm>

#include "poet/problem/facts.h"

namespace poet {

std::vector<std::int64_t> times_in_step(const StepForms& forms, std::int64_t micro_batches) {
  const bool is_of_rank = std::any_of(forms.forms.begin(), forms.forms.end(),
                                      [](const StepGraph& form) { return form.name == "update"; });
  std::vector<std::int64_t> times;
  for (const StepGraph& form : forms.forms) {
    if (form.name == "evaluation" || form.name == kPrediction)
      times.push_back(0);
    else if (is_of_rank)
      times.push_back(form.name == "first" ? micro_batches : 1);
    else
      times.push_back(form.name == "middle" ? micro_batches - 2 : 1);
  }
  return times;
}

double unavoidable_of_step(const StepForms& forms, std::int64_t micro_batches) {
  const std::vector<std::int64_t> times = times_in_step(forms, micro_batches);
  double least = 0;
  for (std::size_t k = 0; k < times.size(); ++k)
    least += static_cast<double>(times[k]) * unavoidable_objective(forms.forms[k].instance.problem);
  return least;
}

double objective_of_step(const StepForms& forms, const PlannedForms& planned,
                         std::int64_t micro_batches) {
  const std::vector<std::int64_t> times = times_in_step(forms, micro_batches);
  double objective = 0;
  for (std::size_t k = 0; k < times.size(); ++k)
    objective += static_cast<double>(times[k]) *
                 objective_of(forms.forms[k].instance.problem, planned.replays[k]);
  return objective;
}

}  // namespace poet
