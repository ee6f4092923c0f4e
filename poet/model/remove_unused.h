#pragma once

#include "poet/model/model.h"

namespace poet {

// Takes out operations whose outputs nobody reads, and then tensors that nobody reads, but for the
// model's inputs and outputs. Ids change.
void remove_unused(Model& model);

}  // namespace poet
