#pragma once

#include <set>
#include <string>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/model/model.h"
#include "poet/train/checkpoint.h"
#include "poet/train/held_values.h"

namespace poet {

// What a checkpoint of adapters says of the network that they belong to, among its settings: how
// they were asked for, and a hash of the values of that network's parameters and statistics, which
// it does not hold itself. Empty where a network has no adapters.
std::vector<CheckpointSetting> adapter_settings(const Question& question, const Model& model);

// Refuses a checkpoint of other adapters, of adapters where the question has none, the other way
// round, and of adapters of another base network.
Failure check_adapters(const Checkpoint& checkpoint, const Question& question, const Model& model);

// Parameters that are not trained, where a network has adapters: wherever they lie, no checkpoint
// holds them.
std::set<std::string> base_parameters(const Model& model, const TrainingOptions& options);
void leave_out(const std::set<std::string>& names, std::vector<HeldValue>& values);

}  // namespace poet
