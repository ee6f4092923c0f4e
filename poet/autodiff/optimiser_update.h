#pragma once

#include <optional>

#include "poet/autodiff/step_builder.h"
#include "poet/base/result.h"

namespace poet {

// Adds what an optimiser does with the whole gradient of one parameter, one operation for each new
// value: its states first, then the parameter. No operation has an input that its constants leave
// unused, and nothing comes between them. Gradients are multiplied with the clip scale, if there is
// one.
Failure add_optimiser_update(StepBuilder& builder, const TrainingOptions& options,
                             TrainedParameter& trained, std::optional<TensorId> clip_scale);

}  // namespace poet
