#pragma once

#include <cstdint>
#include <vector>

#include "poet/forms/step_forms.h"

namespace poet {

// How often each form runs in a step of so many micro-batches, or of a rank, of as many as it
// takes; an evaluation does not.
std::vector<std::int64_t> times_in_step(const StepForms& forms, std::int64_t micro_batches);

}  // namespace poet
