#pragma once

#include <optional>
#include <vector>

#include "poet/autodiff/step_builder.h"
#include "poet/base/result.h"

namespace poet {

// What is done with the gradient of a parameter as soon as it is whole: put into or added to its
// accumulator, and, where the step ends with it, the update. With a limit on the norm of all
// gradients the updates wait for the last one.
Failure add_gradient_use(StepBuilder& builder, const TrainingOptions& options, TensorId parameter,
                         TensorId gradient);

// The updates that wait; to be called when all gradients are there.
Failure add_waiting_updates(StepBuilder& builder, const TrainingOptions& options);

}  // namespace poet
