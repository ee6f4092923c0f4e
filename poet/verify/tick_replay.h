#pragma once

#include <cstdint>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet::testing {

// What a stupid replay of a valid schedule in overlapped time finds out: it moves a second at a
// time and looks at everything. Times must be whole seconds.
struct TickReplay {
  std::int64_t time_s = 0;
  std::vector<std::int64_t> compute_begins_s;  // one per Compute
  std::vector<std::int64_t> ram_bytes;         // in use when each Compute and PageIn begins
};
TickReplay tick_replay(const Problem& problem, const Schedule& schedule);

}  // namespace poet::testing
