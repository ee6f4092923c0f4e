#pragma once

#include <optional>
#include <string>

#include "poet/ask/choose_order.h"
#include "poet/ask/question.h"
#include "poet/base/stop.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/step_forms.h"

namespace poet {

// What a short search finds for the training steps of these forms, by which they are held against
// others; nothing where one has no schedule that was found.
std::optional<OrderTrial> try_forms(const FormsRequest& request, const StepForms& forms,
                                    const PlanFormsOptions& options, const Stop& stop);

struct LessAsked {
  const FormsRequest& request;
  Question micro_batch = {};  // of whose step the choice is made; no further than pays
  const std::string& key;     // of the choice, where it is kept
};

// A plan of another step than the one of `forms`, which the request's RAM budget has: with all
// updates by slices or in parts, where the request leaves these to the budget and a short search
// finds that such a step costs less (poet/ask/choose_step.h). `forms` become those that it is of.
// Nothing where no other step costs less, none has a plan, or no choice was kept and only what is
// kept is wanted.
Result<std::optional<PlannedForms>> plan_of_less(const LessAsked& asked, FormsMaker& maker,
                                                 StepForms& forms, const PlanFormsOptions& options,
                                                 const Stop& stop, const ProgressSink& progress);

}  // namespace poet
