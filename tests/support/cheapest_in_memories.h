#pragma once

#include <cstdint>
#include <optional>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet::testing {

// The oracle for several memories (docs/model/memories.md): the least objective over every schedule
// of the class and every memory for every buffer, by looking at all states that can be reached. For
// up to about 5 operations and 3 memories, in the time modes Free and Blocking, without
// uncertainty. It shares no code with the solvers, the verifier, poet/problem/memories or the other
// oracles. Nothing when no schedule of the class is valid.
struct CheapestInMemories {
  double objective = 0;
  Schedule schedule = {};  // one that attains it
};
std::optional<CheapestInMemories> cheapest_in_memories(const Problem& problem);

// A problem with further memories made of one without: one or two of them, of sizes that matter
// beside the RAM budget, which becomes smaller. Costs are multiples of 1/64.
Problem with_memories(Problem problem, std::uint64_t seed);

}  // namespace poet::testing
