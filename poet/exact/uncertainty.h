#pragma once

#include <optional>
#include <string>

#include "poet/exact/number.h"
#include "poet/exact/problem.h"
#include "poet/exact/replay.h"

namespace poet::exact {

// What is wrong where a schedule could keep the deadline of the worst case and not that by the
// figures, of which certificates speak (docs/model/problem.md §4.3); nothing where none can, or
// where figures are certain.
std::optional<std::string> deadline_fault(const Problem& problem);

// The most that a step which takes `time_s` by the figures takes (docs/model/problem.md §4.2).
Number worst_s(const Problem& problem, const Schedule& schedule, const Number& time_s);

}  // namespace poet::exact
