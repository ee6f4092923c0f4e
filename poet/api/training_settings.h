#pragma once

#include <string>
#include <vector>

#include "poet/api/train_network.h"
#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/train/checkpoint.h"

namespace poet {

// Everything that decides the numbers of a training, each with a name that a user knows: a run goes
// on to the same bits only where all are the same. Budgets, devices, storage, threads, and whether
// updates are by slices decide nothing. `data` is what is learnt from, and the learning rate's
// steps are settled. Refuses what load_model() and training_graph() refuse, and data that cannot be
// read.
Result<std::vector<CheckpointSetting>> training_settings(const TrainRequest& request,
                                                         const Dataset& data);

// The settings that differ, such as "seed (1 there, 5 here), data"; empty where none does.
std::string settings_that_differ(const std::vector<CheckpointSetting>& there,
                                 const std::vector<CheckpointSetting>& here);

}  // namespace poet
