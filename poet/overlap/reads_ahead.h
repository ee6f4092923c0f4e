#pragma once

#include "poet/overlap/moves.h"
#include "poet/problem/problem.h"

namespace poet {

// The same moves, with reads issued earlier where transfers overlap: so early that the channel has
// brought everything by the time it is needed, if it then does nothing else, and no earlier. A read
// stays behind the one before it, behind what made or wrote its tensor, and where RAM has no room
// for it, as counted without transfers in flight. In the other time modes that changes no time.
Moves with_reads_ahead(const Problem& problem, const Moves& moves);

}  // namespace poet
