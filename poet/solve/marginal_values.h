#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/solver.h"

namespace poet {

// What RAM and time are worth: multipliers of the event model's relaxation, in the unit of the
// objective. Whatever they are, they bound every problem that differs in these two limits only.
struct MarginalValues {
  double bound = 0;            // no schedule costs less
  double per_byte = 0;         // of RAM budget: the sum of all memory multipliers
  double per_second = 0;       // of deadline
  std::vector<double> stages;  // per stage, what a byte in RAM during its events is worth

  // No schedule costs less with so much more RAM and time.
  double bound_with(std::int64_t more_bytes, double more_s) const {
    return bound - per_byte * static_cast<double>(more_bytes) - per_second * more_s;
  }
};

// Of rounds of relaxation and pricing over few events and those of `schedule`, which is valid, the
// ones with the best bound. An Error when the backend is not available.
Result<MarginalValues> marginal_values(const Problem& problem, const Schedule& schedule,
                                       const SolveOptions& options, const Stop& stop);

}  // namespace poet
