#pragma once

#include <nlohmann/json_fwd.hpp>

namespace poet {

// JSON to be written; keys stay in the order in which they are set. Only named here, for headers:
// who makes or looks into a value includes json_out.h, which is large.
using JsonOut = nlohmann::ordered_json;

}  // namespace poet
