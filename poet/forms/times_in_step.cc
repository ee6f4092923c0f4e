#include "poet/forms/times_in_step.h"

#include <algorithm>

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

}  // namespace poet
