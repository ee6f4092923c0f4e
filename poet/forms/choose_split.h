#pragma once

#include <optional>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/split_choice.h"
#include "poet/forms/step_forms.h"

namespace poet {

// Chooses into how many equal micro-batches the batch of a step is split: of all divisors of its
// size the one whose plans cost least within the budget of the request, which is one of the whole
// batch. A split costs more operations and more reads of parameters, and needs less RAM; so the
// whole batch is tried first, and others only where no bound shows that whole operations cannot
// cost less. Networks with batch statistics are never split: each part would have others.
//
// Where nothing fits, the split that needs least is chosen, for which plan_in_budget() then says
// what would do. Plans and the choice are kept in the cache; with only_from_cache, nothing where
// the choice is not there.
Result<std::optional<SplitChoice>> choose_split(const FormsRequest& request, FormsMaker& maker,
                                                const PlanFormsOptions& options, const Stop& stop,
                                                const ProgressSink& progress);

// The request with that choice.
FormsRequest with_split(FormsRequest request, const SplitChoice& choice);

}  // namespace poet
