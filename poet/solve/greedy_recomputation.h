#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "poet/base/stop.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"

namespace poet {

// A first answer for large steps: everything stays in RAM at first; then, while that is too much
// anywhere, what costs the least for the excess bytes that it takes away leaves RAM until its next
// use, and is read or made again for it, its inputs likewise. In the end what turns out to be there
// for nothing is taken back. The cheapest of several rules, which are tried side by side where
// there are threads for it; nothing where none keeps every budget.
std::optional<EventChoice> greedy_recomputation(
    const Step& step, int threads, const Stop& stop,
    std::int64_t most_tries = std::numeric_limits<std::int64_t>::max());

}  // namespace poet
