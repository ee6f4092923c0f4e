#pragma once

#include <string>
#include <vector>

#include "poet/autodiff/training_options.h"
#include "poet/base/result.h"
#include "poet/train/learning_rate.h"

namespace poet::cli {

// Refuses options that would change nothing of this training: whoever gave them expects otherwise.
Failure refuse_idle_options(const std::vector<std::string>& arguments, Optimiser optimiser,
                            RateShape shape);

}  // namespace poet::cli
