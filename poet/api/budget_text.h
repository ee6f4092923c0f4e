#pragma once

#include <cstdint>
#include <optional>

#include "poet/api/plan_request.h"

namespace poet {

// `ratio` of `whole_bytes`, rounded down; exact when the ratio is the double nearest to a fraction
// of whole bytes, so that 60 % of 2,453,760 is 1,472,256 and not one byte less. Nothing when it
// does not fit in 62 bits.
std::optional<std::int64_t> part_of_bytes(double ratio, std::int64_t whole_bytes);

}  // namespace poet
