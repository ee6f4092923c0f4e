#pragma once

#include <vector>

#include "poet/model/model.h"

namespace poet::testing {

// Small networks whose parts are put together like those of the networks that people exchange as
// ONNX files: two classes of pictures (2, 3, 12, 12).
struct BranchingNetwork {
  const char* name = "";
  Model (*make)() = nullptr;
};
const std::vector<BranchingNetwork>& branching_networks();

}  // namespace poet::testing
