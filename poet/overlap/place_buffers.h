#pragma once

#include <optional>
#include <vector>

#include "poet/base/stop.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/solver.h"

namespace poet {

// A memory for every buffer of a schedule that is valid but for what it needs of each memory; its
// own places are not looked at.
struct PlacedSchedule {
  Schedule schedule = {};
  bool is_cheapest = false;  // no places of these buffers cost less, by the backend's word
};

// The places that cost least (docs/model/memories.md §5.2): quickly found ones, and from them an
// integer program, within the node limit and the seed of `options`. In overlapped time what is made
// least is the sum of all access, which is more than the time that it takes. Residents that are
// `fixed` lie there, the RAM included. Nothing when no places were found in which every memory has
// room and, in free and blocking time, the deadline is kept.
std::optional<PlacedSchedule> place_buffers(const Problem& problem, const Schedule& schedule,
                                            const LinearBackend& backend,
                                            const SolveOptions& options, const Stop& stop,
                                            const std::vector<PlacedBuffer>& fixed = {});

}  // namespace poet
