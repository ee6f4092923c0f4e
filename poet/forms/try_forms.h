#pragma once

#include <optional>

#include "poet/ask/choose_order.h"
#include "poet/base/stop.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/step_forms.h"

namespace poet {

// What a short search finds for the training steps of these forms, by which they are held against
// others; nothing where one has no schedule that was found.
std::optional<OrderTrial> try_forms(const FormsRequest& request, const StepForms& forms,
                                    const PlanFormsOptions& options, const Stop& stop);

}  // namespace poet
