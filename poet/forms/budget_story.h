#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/forms/plain_forms.h"
#include "poet/forms/plan_forms.h"

namespace poet {

// A paragraph in plain words: what a plan costs more than the step with enough RAM, which may be
// one of whole operations while the plan's are in parts, why, and what would help. From the figures
// of the plan alone. `times`: how often each form runs in a step
// of so many micro-batches.
std::string budget_story(const PlannedForms& planned, const std::vector<std::int64_t>& times,
                         std::int64_t micro_batches, std::int64_t ram_budget_bytes,
                         const PlainForms& plain);

}  // namespace poet
