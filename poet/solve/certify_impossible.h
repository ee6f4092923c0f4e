#pragma once

#include <cstdint>
#include <optional>

#include "poet/base/stop.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"
#include "poet/solve/certify_windows.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/window_model.h"

namespace poet {

// What is to be proved of a problem that is not Overlapped: that its class has no schedule, or with
// LeastRam none in less than `claimed_bytes`.
struct Impossible {
  Claim claim = Claim::Infeasible;
  std::int64_t claimed_bytes = 0;       // of LeastRam
  std::optional<WindowKeys> keys = {};  // of a window model that is known to have no solution
  bool by_cases = true;                 // or else by sums and walks alone: tests look at these
};

// A certificate of it, whose `claimed_by` is left empty: without parts where sums over the problem
// say it (docs/model/search.md §7.1), or else with a tree of cases over a window model or with a
// walk. Nothing where neither proves it within the limits, as where only integer programs over
// single re-executions tell.
std::optional<Certificate> certify_impossible(const Problem& problem, const Impossible& asked,
                                              const LinearBackend& backend,
                                              const CertifyLimits& limits, const Stop& stop);

}  // namespace poet
