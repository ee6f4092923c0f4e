#pragma once

#include <cstdint>
#include <optional>

#include "poet/ask/plan_instance.h"
#include "poet/ask/question.h"
#include "poet/ask/steps.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/solve/solver.h"

namespace poet {

// The whole pipeline: model -> graph -> costs -> problem -> schedule -> verify -> plan. `early`
// (may be empty) gets the first warnings of the report, in their order, before the search begins.
Result<PlanReport> make_plan(const Question& question, const Stop& stop,
                             const ProgressSink& progress, const WarningSink& early = {});

// The same from an instance on, which is that of the question's budget. Where there is no schedule
// of its step, the same with more weights updated by slices, as far as the question leaves that
// open; a refusal is of all those steps, and so are the budgets that it names. With a certificate
// where a little counted effort makes one: "proved" is said of nothing else.
Result<PlanReport> plan_over_updates(QuestionSteps& steps, Instance instance, const Stop& stop,
                                     const ProgressSink& progress, const WarningSink& early = {});

// The plan that takes the least time in so much RAM, of all the steps that the question may take,
// whatever its deadline; nothing where there is none, or none was found in a part of the time.
Result<std::optional<PlanReport>> quickest_plan(const Question& question,
                                                std::int64_t ram_budget_bytes, const Stop& stop);

// Its time, by which deadlines are kept.
double kept_time_s(const PlanReport& report);

}  // namespace poet
