#pragma once

#include <optional>

#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"

namespace poet {

// A first answer in one pass, without re-executions: where an operation does not fit, chains that
// it does not need are sent away and read back before their next use. Which go first is decided by
// several rules, and the cheapest answer that keeps every budget is returned; nothing when none
// does (or where tensors may not be paged).
std::optional<EventChoice> greedy_paging(const Step& step);

}  // namespace poet
