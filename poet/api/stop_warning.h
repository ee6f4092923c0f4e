#pragma once

#include <optional>
#include <string>

#include "poet/base/stop.h"

namespace poet {

// Whether a search that began at `begin_s` and is over now can have been shaped by the clock. Its
// phases may take shares of the time that `stop` leaves, and one that meets its share ends before
// its counted effort does. False is certain: the search was over before the least share was.
bool clock_may_have_shaped(const Stop& stop, double begin_s);

// What the user should know about work that `stop` ended; nothing when it ended by itself.
std::optional<std::string> stop_warning(const Stop& stop);
// The same of a search without a proof, and of one that the clock may have shaped.
std::optional<std::string> search_warning(const Stop& stop, double begin_s);

}  // namespace poet
