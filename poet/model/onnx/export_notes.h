#pragma once

#include <string>
#include <vector>

#include "poet/model/onnx_file.h"

namespace poet {

// What an export by PyTorch did to a network that a training would show, one sentence each with the
// call that avoids it: batch norms that were folded into convolutions, and parameters of equal
// values that were merged into one. `nodes` are those that are imported. Other programs leave no
// trace of it.
std::vector<std::string> export_notes(const OnnxModel& file,
                                      const std::vector<const OnnxNode*>& nodes);

}  // namespace poet
