#pragma once

#include <cstdint>
#include <string>

#include "poet/base/stop.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/step_forms.h"

namespace poet {

// "; for all of them a deadline of 12 ms works": what would have to be asked for, where time alone
// is lacking, of micro-batches and in several memories, of which the search does not say it. It was
// planned, with a little effort. Empty where the search says it, or none was found.
std::string words_of_longer_deadline(const FormsRequest& request, const PlannedForms& planned,
                                     std::int64_t budget_bytes, const PlanFormsOptions& options,
                                     const Stop& stop);

}  // namespace poet
