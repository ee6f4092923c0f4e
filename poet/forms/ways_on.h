#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "poet/forms/step_forms.h"

namespace poet {

// The same request in so many bytes of RAM.
FormsRequest at_budget(FormsRequest request, std::int64_t ram_budget_bytes);

// With every weight that can be updated by slices, where that is a change that may help.
std::optional<FormsRequest> with_all_slices(const FormsRequest& request, FormsMaker& maker,
                                            std::int64_t ram_budget_bytes);

// What else somebody may ask for whose request has no plan in so many bytes, as the end of a
// sentence: `works_bytes`, a budget that was found to work, and other options for which `has_plan`
// is true of a request in the refused budget.
std::string ways_on(std::optional<std::int64_t> works_bytes, const FormsRequest& request,
                    FormsMaker& maker, std::int64_t ram_budget_bytes,
                    const std::function<bool(const FormsRequest&)>& has_plan);

}  // namespace poet
