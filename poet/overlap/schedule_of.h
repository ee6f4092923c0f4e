#pragma once

#include <vector>

#include "poet/overlap/moves.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// What a schedule does, without its Drops.
Moves moves_of(const Schedule& schedule);

// with_drops() for moves that keep some tensors, and their new values, in RAM for the whole step.
Schedule schedule_of(const Problem& problem, const Moves& moves,
                     const std::vector<TensorId>& resident);

}  // namespace poet
