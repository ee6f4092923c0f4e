#pragma once

#include <vector>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// Executions and transfers in their order, without a word on what leaves RAM when: no Drop.
using Moves = std::vector<Action>;

// The schedule that makes these moves in the least RAM: every tensor leaves right after the last
// move that needs it before it is made or read the next time. An input that shares its buffer
// leaves first (docs/model/problem.md §1.4).
Schedule with_drops(const Problem& problem, const Moves& moves);

// What a schedule does, without its Drops.
Moves moves_of(const Schedule& schedule);

// with_drops() for moves that keep some tensors, and their new values, in RAM for the whole step.
Schedule schedule_of(const Problem& problem, const Moves& moves,
                     const std::vector<TensorId>& resident);

}  // namespace poet
