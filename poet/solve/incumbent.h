#pragma once

#include <vector>

#include "poet/solve/linear_model.h"

namespace poet {

// The best solution known of a LinearModel; nothing known is kInfinity without values.
struct Incumbent {
  double objective = kInfinity;
  std::vector<double> values = {};  // integer columns are whole numbers

  bool known() const { return objective < kInfinity; }
};

// A candidate with its integer columns rounded to nearest and its objective in our own arithmetic.
// Nothing known when it has the wrong length, an integer value is further than 1e-6 from a whole
// number, or a bound or row is broken by more than 1e-6 of the size of its terms.
Incumbent incumbent_from(const LinearModel& model, std::vector<double> candidate);

}  // namespace poet
