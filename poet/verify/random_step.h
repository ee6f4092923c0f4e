#pragma once

#include <cstdint>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet::testing {

// A small well-formed problem with everything in it (every home, views, updates, in place, several
// outputs, once), and a schedule for it that breaks no rule when RAM is plenty. It pages,
// recomputes and drops for no reason. Times are whole seconds. The same seed gives the same step
// everywhere.
struct RandomStep {
  Problem problem;
  Schedule schedule;
};
RandomStep random_step(std::uint64_t seed);

// One whose buffers lie in three memories, drawn at random, each just as large as the schedule
// needs it. Access takes whole seconds.
RandomStep step_in_memories(std::uint64_t seed);

// Any actions at all, also with names that do not exist.
Schedule random_actions(const Problem& problem, std::uint64_t seed);

}  // namespace poet::testing
