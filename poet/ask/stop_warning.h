#pragma once

#include <optional>
#include <string>

#include "poet/base/stop.h"
#include "poet/solve/solver.h"

namespace poet {

// What the user should know about work that `stop` ended; nothing when it ended by itself.
std::optional<std::string> stop_warning(const Stop& stop);
// The same of a time limit that ended a search.
std::string limit_warning(double limit_s);
// The same of a search without a proof: one that ended by itself did what its limit gives it to do,
// in time or in what it counted.
std::optional<std::string> search_warning(const Stop& stop, const SolveEffort& effort,
                                          const SolveOptions& options);

}  // namespace poet
