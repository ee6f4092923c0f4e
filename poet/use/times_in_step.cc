#include "poet/use/times_in_step.h"

namespace poet {

std::vector<std::int64_t> times_in_step(const StepForms& forms, std::int64_t micro_batches) {
  std::vector<std::int64_t> times;
  for (const StepGraph& form : forms.forms) {
    if (form.name == "evaluation" || form.name == kPrediction)
      times.push_back(0);
    else
      times.push_back(form.name == "middle" ? micro_batches - 2 : 1);
  }
  return times;
}

}  // namespace poet
