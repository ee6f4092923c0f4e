#pragma once

#include <vector>

#include "poet/solve/linear_model.h"

namespace poet {

// A bound on what the relaxation of a model costs, from multipliers of its rows (as
// RelaxationAnswer::row_duals), in our own arithmetic and with its rounding given away: any
// multipliers give one that holds. An objective that a backend calls least is none: it may be too
// large by what its tolerances hide, which is much where costs are of different sizes. -kInfinity
// where the multipliers say nothing (docs/model/numbers.md §1.5; Neumaier and Shcherbina, 2004).
double bound_proved_by(const std::vector<double>& row_duals, const LinearModel& model);

// How much too large the bound of an integer program may be, in the units of its objective, of
// which the overhead is to be kOverheadUnits: by what its backend's tolerances hide
// (docs/model/numbers.md §1.6).
double backend_margin(const LinearModel& model);

}  // namespace poet
