#pragma once

#include <functional>

#include "poet/train/trainer.h"
#include "poet/use/prepared_run.h"
#include "poet/use/running_forms.h"
#include "poet/use/train_network.h"

namespace poet {

// Takes the steps of a training with the forms that run, in the order of micro-batches: of several
// ranks each as the first. Calls `ran` after each run of a form.
Trainer trainer_of_run(const TrainRequest& request, const PreparedRun& made,
                       const RunningForms& running, std::function<void(const ReadyForm&)> ran);

}  // namespace poet
