#pragma once

#include <cstdint>

#include "poet/base/stop.h"
#include "poet/problem/certificate.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/step.h"
#include "poet/solve/window_model.h"

namespace poet {

// How far a proof goes: counted, so that it is the same on every machine.
struct CertifyLimits {
  std::int64_t most_relaxations = 5'000;
  std::int64_t most_iterations = 500'000;  // of the simplex method
  int most_cut_rounds = 80;                // at the root
  // Rows on budgets are lowered by this part of their largest coefficient before a backend sees
  // them, where what breaks one by a byte would be within its tolerances; what is proved counts
  // them as they are.
  double tightened_ratio = 0;
};

struct CertifiedWindows {
  WindowProof proof = {};
  double bound = 0;  // what it proves beyond Step::once_cost, in our own arithmetic
  std::int64_t relaxations = 0;
  std::int64_t iterations = 0;
};

// Branch and cut over a window model that keeps its reasons: rounding cuts at the root, then cases,
// the one with the smallest bound first, until each has a bound of at least `target` (beyond
// Step::once_cost) or a limit is hit; cases that are open then count with the bound they have.
CertifiedWindows certify_windows(const Step& step, const WindowKeys& keys, double cost_unit,
                                 double target, const LinearBackend& backend,
                                 const CertifyLimits& limits, const Stop& stop);

}  // namespace poet
