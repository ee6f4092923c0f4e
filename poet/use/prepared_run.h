#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/forms/plan_forms.h"
#include "poet/forms/step_forms.h"
#include "poet/use/checkpoints_of_run.h"
#include "poet/use/train_network.h"
#include "poet/use/training_data.h"

namespace poet {

// What a training runs, once it is prepared.
struct PreparedRun {
  FormsRequest asked = {};
  FormsMaker maker = {};
  StepForms forms = {};
  TrainingData data = {};
  PlannedForms planned = {};
  std::int64_t steps = 0;
  std::set<std::string> trained = {};  // parameters
  std::set<std::string> base = {};     // beside adapters: what no checkpoint holds
};

// Makes the graphs of a training, opens its data and finds its plans. Where there are no plans, the
// report says why, or that they are missing. The request's learning rate learns of the steps.
Failure prepare_run(TrainRequest& request, CheckpointsOfRun& checkpoints, const Stop& stop,
                    const TrainEvents& events, PreparedRun& made, TrainReport& report);

// Whether the step with the lowest loss on the test data is looked for.
bool looks_for_best(const TrainRequest& request);

}  // namespace poet
