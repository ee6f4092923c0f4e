#pragma once

#include <string>

#include "poet/api/train_network.h"

namespace poet {

// The page about a training: what was predicted and what was measured, as a whole and operation by
// operation.
std::string train_page(const TrainRequest& request, const TrainReport& report);

}  // namespace poet
