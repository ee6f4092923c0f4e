#pragma once

#include <cstdint>

#include "poet/base/result.h"
#include "poet/parts/grids.h"

namespace poet {

// Cuts until every part of every operation needs at most `most_bytes`: always the class that makes
// the largest part smaller at the least cost in bytes moved. That looks at one operation at a time,
// so it is done several times, each beginning with another cut of the dimension that most is moved
// along (the rows of all pictures, the tokens of all layers), and the way that moves least is
// taken. Where the size cannot be reached, a sentence that names the operation; likewise where that
// would be more parts than that.
Failure cut_to(Grids& grids, const Graph& graph, std::int64_t most_bytes, std::int64_t most_parts);

}  // namespace poet
