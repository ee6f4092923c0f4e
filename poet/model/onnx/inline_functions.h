#pragma once

#include "poet/base/result.h"
#include "poet/model/onnx_file.h"

namespace poet {

// The model with the nodes of its functions in place of every call of one, again and again until no
// call is left. Values and nodes of a call are named after it, "call/value". Refuses functions that
// call themselves, values that a function does not make, and files that would become too large by
// it: a few short functions can ask for any number of nodes.
Result<OnnxModel> without_functions(const OnnxModel& file);

}  // namespace poet
