#pragma once

#include <optional>
#include <string>

#include "poet/base/stop.h"

namespace poet {

// What the user should know about a search that `stop` ended; nothing when it ended by itself.
std::optional<std::string> stop_warning(const Stop& stop);

}  // namespace poet
