#pragma once

#include <cstdint>
#include <vector>

namespace poet {

// The largest sum, at most `limit`, of some of the sizes, each taken once at most. Sizes are >= 0
// and so is the limit. Networks have few distinct sizes, most of them multiples of each other: then
// there are few sums, and often none near the limit. Where there are too many to go through, the
// limit itself.
std::int64_t largest_reachable_sum(std::vector<std::int64_t> sizes, std::int64_t limit);

}  // namespace poet
