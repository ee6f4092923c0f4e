#pragma once

#include <cstdint>
#include <vector>

#include "poet/forms/plan_forms.h"
#include "poet/forms/step_forms.h"

namespace poet {

// How often each form runs in a step of so many micro-batches, or of a rank, of as many as it
// takes; an evaluation does not.
std::vector<std::int64_t> times_in_step(const StepForms& forms, std::int64_t micro_batches);

// The objective, in joules or seconds, of a whole step: what no schedules can save, and of a plan.
double unavoidable_of_step(const StepForms& forms, std::int64_t micro_batches);
double objective_of_step(const StepForms& forms, const PlannedForms& planned,
                         std::int64_t micro_batches);

}  // namespace poet
