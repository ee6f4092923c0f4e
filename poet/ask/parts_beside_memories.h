#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/ask/instance.h"
#include "poet/ask/question.h"
#include "poet/ask/steps.h"
#include "poet/base/stop.h"

namespace poet {

// Of devices with memories beside their RAM: the sizes of parts that are tried where whole
// operations have no schedule, and the step in them, for all that plan one.

// In the order in which they are tried: by the bytes of all memories with the problem's RAM budget,
// then by those with all of the device's RAM and with none of it, which do not depend on a budget:
// where the smallest RAM is looked for these are the sizes, so what is found is looked at in that
// RAM as well.
std::vector<std::int64_t> part_sizes_in_memories(const Question& question, const Problem& problem);

// The step in parts of tried.part_bytes, in this RAM budget; nothing where it cannot be cut so or
// an operation does not fit. What it has, and why there is none, stands in `tried` then.
std::optional<Instance> in_parts_of_memories(QuestionSteps& steps, std::int64_t ram_budget_bytes,
                                             const Stop& stop, TriedLevel& tried);

}  // namespace poet
