#pragma once

#include "poet/autodiff/step_builder.h"
#include "poet/base/result.h"

namespace poet {

// Adds labels or targets and the loss of `output`: one number. Classes are dimension 1 of scores
// (N, C, ...), but the last of (N, S, C), as sequences have them; labels are what remains.
Result<TensorId> add_loss(StepBuilder& builder, TensorId output, const TrainingOptions& options);

}  // namespace poet
