#pragma once

#include "poet/api/instance.h"
#include "poet/api/plan_request.h"

namespace poet {

// make_plan() for an instance that is there already: its problem is solved as it stands, with what
// the request says about the search.
Result<PlanReport> plan_instance(const PlanRequest& request, Instance instance, const Stop& stop,
                                 const ProgressSink& progress, const WarningSink& early = {});

// The same request, with a certificate where a little counted effort makes one: "proved" is said of
// nothing else. What plans on the way to something else has no use for it.
PlanRequest with_cheap_certificate(PlanRequest request);

// A refusal is of one step, and the budgets that it names may be ones at which `request`, with
// updates chosen by the budget, would plan another step. Then they are looked for again, each in
// the step that belongs to it.
Failure mend_named_budgets(const PlanRequest& request, const Stop& stop, PlanReport& report);

}  // namespace poet
