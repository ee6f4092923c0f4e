#pragma once

#include <string>

#include "poet/use/train_network.h"

namespace poet {

// The page about a training that came to its end, or was stopped: how it learnt, what lay where
// (with TrainRequest::draws_arena), and what was predicted and measured, as a whole and operation
// by operation.
std::string train_page(const TrainRequest& request, const TrainReport& report);

}  // namespace poet
