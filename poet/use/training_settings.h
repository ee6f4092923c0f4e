#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/train/checkpoint.h"
#include "poet/use/train_network.h"

namespace poet {

// Everything that decides the numbers of a training, each with a name that a user knows: a run goes
// on to the same bits only where all are the same. Budgets, devices, storage, threads, and whether
// updates are by slices decide nothing. `forms` are asked for, of this model; `data` is what is
// learnt from, and the learning rate's steps are settled. Refuses what training_graph() refuses,
// and data that cannot be read.
Result<std::vector<CheckpointSetting>> training_settings(const TrainRequest& request,
                                                         const FormsRequest& forms,
                                                         const Model& model, const Dataset& data);

// The settings that differ, such as "seed (1 there, 5 here), data"; empty where none does.
std::string settings_that_differ(const std::vector<CheckpointSetting>& there,
                                 const std::vector<CheckpointSetting>& here);

// "sha256:" and 64 digits, of the values that a network begins with: names, types and values of its
// parameters and statistics, in order of name, without those that are left out.
std::string values_digest(const Model& model, const std::set<TensorId>& left_out);

// What the setting is called that has it, of a network with adapters or trained in part; and what
// says which part, and what is lowered.
inline constexpr std::string_view kBaseNetwork = "base network";
inline constexpr std::string_view kTrainedPart = "trained part";
inline constexpr std::string_view kLossSetting = "loss";
// Which examples there are, and how many.
inline constexpr std::string_view kDataSetting = "data";
inline constexpr std::string_view kExamplesSetting = "number of examples";

}  // namespace poet
