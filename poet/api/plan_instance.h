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

// plan_instance() for the instance of `request`, whose updates the budget chose. Where there is no
// schedule of its step, the same with more weights updated by slices, as far as the request leaves
// that open; a refusal is of all those steps, and so are the budgets that it names.
Result<PlanReport> plan_over_updates(const PlanRequest& request, Instance instance,
                                     const Stop& stop, const ProgressSink& progress,
                                     const WarningSink& early = {});

}  // namespace poet
