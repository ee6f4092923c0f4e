#pragma once

#include <optional>

#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"

namespace poet {

// A first answer in one pass: where an operation does not fit, chains that it does not need are
// sent away, and come back before their next use: read from storage, or made again where that costs
// less and their producer reads nothing in RAM. Which go first is decided by several rules, each
// with and without making anything again; the cheapest answer that keeps every budget is returned,
// and nothing when none does.
std::optional<EventChoice> greedy_paging(const Step& step);

}  // namespace poet
