#pragma once

#include "poet/ask/make_plan.h"
#include "poet/ask/steps.h"

namespace poet {

// The answer in several memories: where the question leaves updates to the budget, with separate
// ones or with all by slices that can be, whichever has a schedule, or costs less; with separate
// ones where slices save too little to be looked for. Where neither has a schedule for want of RAM,
// operations in parts, if the question leaves them open: of the coarsest size of a few that has
// one.
Result<PlanReport> plan_beside_memories(QuestionSteps& steps, Instance separate, const Stop& stop,
                                        const ProgressSink& progress, const WarningSink& early);

}  // namespace poet
