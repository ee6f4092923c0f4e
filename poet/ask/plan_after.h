#pragma once

#include "poet/ask/make_plan.h"

namespace poet {

// What was searched since then counts, whatever it was for.
void add_search(double begin_s, double counted_before, const Stop& stop, PlanTiming& timing);

// The answer about another step, after one that had no schedule: what both took counts.
Result<PlanReport> plan_after(const PlanReport& before, const Question& question, Instance instance,
                              const Stop& stop, const ProgressSink& progress);

}  // namespace poet
