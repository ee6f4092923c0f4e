#pragma once

#include <map>
#include <string>
#include <vector>

#include "poet/autodiff/training_options.h"
#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/model/model.h"

namespace poet {

// The forward pass of a network as it is used: nothing is dropped out, and of its outputs only the
// one that a loss would be of is made. What is given is at home where a training with these options
// has it, so that both can share it.
Result<Model> evaluation_model(Model model, const TrainingOptions& options);

}  // namespace poet
