#pragma once

#include "poet/solve/linear_model.h"

namespace poet {

// How much too large the bound of an integer program may be, in the units of its objective, of
// which the overhead is to be kOverheadUnits: by what its backend's tolerances hide
// (docs/model/numbers.md §1.6).
double backend_margin(const LinearModel& model);

}  // namespace poet
