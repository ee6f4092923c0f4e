#pragma once

#include <vector>

#include "poet/base/result.h"
#include "poet/lower/runnable_step.h"

namespace poet {

// Lets several forms of one step (first, middle and last micro-batch, evaluation) share an arena
// and a store: what outlives a form and has the same name in several gets the same place in all.
//
//   storage  | kept tensors of all forms | this form's inputs | this form's copies |
//   arena    | residents of all forms    | this form's resident inputs | all other buffers |
//
// Kept tensors stand in order of first appearance. So a form's arena grows by the residents that
// only others have: they are in RAM while it runs. Afterwards each layout still is one of its plan.
// Refuses layouts of different alignment, and a tensor that is of another type, or resident in one
// form and in storage in another.
Failure share_homes(std::vector<RunnableStep>& forms);

}  // namespace poet
