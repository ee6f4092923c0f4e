#pragma once

#include <string>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/solve/solver.h"
#include "poet/use/train_network.h"

namespace poet {

// What --train says where the RAM budget chooses what is trained.
inline constexpr const char* kTrainAuto = "auto";

// A request that says what is trained, and what is to be told of that.
struct SettledTraining {
  TrainRequest request = {};
  bool is_missing = false;  // with only_cached_plans
  std::string no = {};      // why nothing can be trained
  std::string note = {};    // what was chosen; empty where nothing was
};

// Where the request leaves it to the RAM budget: what is worth most of training_choices() and the
// greedy choice, of those that are planned and packed in the budget (of a range, in its smallest).
// A training that is resumed goes on with what its checkpoint trains. What was chosen is kept
// beside the plans, and so is chosen once. Refuses what check_choosable() refuses, adapters, and a
// request without a budget.
Result<SettledTraining> settle_trained(const TrainRequest& request, const Stop& stop,
                                       const ProgressSink& progress);

}  // namespace poet
