#pragma once

#include <cstdint>
#include <optional>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet::testing {

// The oracle: exhaustive search over every schedule of the class that docs/model/problem.md §2.3
// speaks of: first executions in order, re-executions within one stage in increasing order and each
// at most once, a made tensor written at most once, page-ins, page-outs and drops anywhere. For up
// to about 8 operations, in the time modes Free and Blocking; where figures are uncertain and there
// is a deadline, for up to about 5. It shares no code with the solvers,
// the verifier or poet/problem/facts.

// The least objective, in J or s as Problem::objective says; nothing when no schedule of the class
// is valid.
std::optional<double> cheapest_objective(const Problem& problem);

// A schedule that attains it. Slower and hungrier, as it remembers how it came about.
std::optional<Schedule> cheapest_schedule(const Problem& problem);

// The smallest RAM budget under which a schedule exists, all else as in `problem`; nothing when no
// RAM is enough.
std::optional<std::int64_t> least_ram_budget(const Problem& problem);

}  // namespace poet::testing
