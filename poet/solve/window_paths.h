#pragma once

#include <vector>

#include "poet/solve/step.h"
#include "poet/solve/window_inequalities.h"
#include "poet/solve/window_model.h"

namespace poet {

// Path inequalities over consecutive windows of a window model (docs/model/windows.md §4): what a
// window of stages needs and is not there at its beginning is made in it, from inputs that are
// there or come in it themselves:
//
//   sum over the chains of a path of (there at the beginning, or read)
//     + the runs of the operation that makes the last of them  >=  1, or >= (the first one is there
//                                                                            at the end)
//
// Each is a mixed-integer rounding of rows of the model, so its definition is its proof. Those that
// the values violate by `least_violation` and more, the most violated first.
std::vector<WindowCut> violated_paths(const WindowModel& model, const Step& step,
                                      const std::vector<double>& values, double least_violation);

}  // namespace poet
