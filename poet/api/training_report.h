#pragma once

#include <string>

#include "poet/api/train_network.h"

namespace poet {

// The page about a training that came to its end, or was stopped: of TrainRequest::draws_arena
// trainings, with what lay where.
std::string training_report(const TrainRequest& request, const TrainReport& report);

}  // namespace poet
