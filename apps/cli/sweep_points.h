#pragma once

#include <memory>

#include "apps/cli/sweep_flags.h"
#include "poet/ask/sweep.h"
#include "poet/store/sweep_points.h"

namespace poet::cli {

// Where the flags say that the points of a sweep are kept: a file, a database that others share, or
// nowhere. With --collect nothing is made that is not there.
Result<std::unique_ptr<SweepPoints>> open_sweep_points(const SweepFlags& flags,
                                                       const SweepPlan& plan);

}  // namespace poet::cli
