#pragma once

#include <optional>

#include "poet/autodiff/training_graph.h"
#include "poet/autodiff/training_options.h"

namespace poet {

// Of a step of form Update what makes new parameters and optimiser states of the summed gradients:
// no forward pass, no backward pass, no loss. With a part, of its parameters alone; where there are
// fewer parameters than parts, every part is all of them.
TrainingGraph only_updates(TrainingGraph step, const std::optional<UpdatePart>& part);

}  // namespace poet
