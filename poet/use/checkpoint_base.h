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

// The same hash of what is not trained, where a network without adapters is trained in part.
std::vector<CheckpointSetting> untrained_settings(const Question& question, const Model& model);

// Refuses a checkpoint of other adapters, of adapters where the question has none, the other way
// round, and of adapters of another base network; and one of a part of a network where the rest,
// which does not come from it, begins with other values. `taken` are the names of what is taken
// from a checkpoint that has it.
Failure check_base(const Checkpoint& checkpoint, const Question& question, const Model& model,
                   const std::set<std::string>& taken);

// Parameters that are not trained, where a network has adapters, and otherwise those that are
// quantised: wherever they lie, no checkpoint holds them.
std::set<std::string> base_parameters(const Model& model, const TrainingOptions& options);
void leave_out(const std::set<std::string>& names, std::vector<HeldValue>& values);

}  // namespace poet
