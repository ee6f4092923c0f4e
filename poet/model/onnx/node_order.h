#pragma once

#include <set>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/onnx_file.h"

namespace poet {

// The part of a file's graph that its outputs need.
struct NeededPart {
  std::vector<const OnnxNode*> nodes = {};  // each after those that it reads, otherwise in the
                                            // file's order
  std::set<std::string> values = {};        // what those nodes and the outputs read
};

// Refuses values that are made twice, are read and never made, or need themselves; the file must
// stay where it is.
Result<NeededPart> needed_part(const OnnxModel& file);

}  // namespace poet
