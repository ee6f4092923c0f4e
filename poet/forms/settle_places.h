#pragma once

#include <optional>
#include <set>
#include <string>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/step_forms.h"
#include "poet/solve/solver.h"

namespace poet {

// Where parameters may be in RAM for good (ParameterPlace::Chosen), all forms of a step must agree
// which are. The form that updates them decides (of a rank that of its micro-batches), planned by
// itself in the budget of all; every form then has those as residents, by name, and the others in
// storage, and none offers a choice any more. Returns their names, none without a plan; nothing,
// and the forms are as they were, where the plan had to be in the cache and is not.
Result<std::optional<std::set<std::string>>> settle_places(StepForms& forms,
                                                           const Question& question,
                                                           const PlanFormsOptions& options,
                                                           const Stop& stop,
                                                           const ProgressSink& progress);

// Takes it back.
void put_into_storage(StepForms& forms, const std::set<std::string>& residents);

}  // namespace poet
