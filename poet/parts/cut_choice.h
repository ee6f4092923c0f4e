#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/parts/grids.h"

namespace poet {

// Ways to cut until every part of every operation needs at most `most_bytes`: always the class that
// makes the largest part smaller at the least cost in bytes that parts read and make. That looks at
// one operation at a time, so it is done several times, each beginning with another cut of one of
// the dimensions that most is moved along (the rows of all pictures, the tokens of all layers). Of
// the ways found, those that move least by this count, first the least of all; the cuts of `grids`
// itself where nothing needs more. Where the size cannot be reached, a sentence that names the
// operation; likewise where that would be more parts than that, and where `stop` ends it from
// outside.
Result<std::vector<ClassCuts>> ways_to_cut(const Grids& grids, const Graph& graph,
                                           std::int64_t most_bytes, std::int64_t most_parts,
                                           const Stop& stop = {});

}  // namespace poet
