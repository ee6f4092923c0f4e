#pragma once

#include "poet/forms/plan_forms.h"

namespace poet {

// plan_forms() for somebody who asked: a RAM budget is kept, or refused with a way on. Where it is
// too small, PlannedForms::no goes on with the smallest budget that was found to work, whole or,
// where the request leaves that open, in parts, which was planned and packed, and with what may be
// tried in this one: of updates by slices, micro-batches and a smaller batch those with which no
// operation needs more than it.
//
// `forms` are those of `request`. Where the request leaves updates to the budget and no plan of
// them is found, they are replaced by those with all updates by slices if these have a plan.
Result<PlannedForms> plan_in_budget(const FormsRequest& request, FormsMaker& maker,
                                    StepForms& forms, const PlanFormsOptions& options,
                                    const Stop& stop, const ProgressSink& progress);

// The same without the way on: PlannedForms::no says only why there is no plan.
Result<PlannedForms> plan_if_one_fits(const FormsRequest& request, FormsMaker& maker,
                                      StepForms& forms, const PlanFormsOptions& options,
                                      const Stop& stop, const ProgressSink& progress);

}  // namespace poet
