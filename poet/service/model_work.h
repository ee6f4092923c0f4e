#pragma once

#include "poet/service/work.h"

namespace poet {

// How large a training step is on a device, and what a budget can be.
WorkOutput figures_work(const WorkOrder& order, const PlanRequest& plan);

// What an ONNX file is: refused unless POET can train it. Files that leave other extents open than
// the first of their inputs can only be read as far as these do not matter.
WorkOutput describe_work(const PlanRequest& plan);

}  // namespace poet
