#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// A text in the language of Graphviz: inside double quotes it gives meaning to quotes and
// backslashes, and lines end in "\n".
std::string dot_quoted(std::string_view text);

// The graph in the language of Graphviz: a box per operation (backward ones shaded), a cylinder per
// tensor with its home in storage, an arrow per tensor that is read. With a schedule, operations
// that it recomputes have a bold orange border and the number of their runs, and arrows of tensors
// that it writes to storage and reads back are dashed.
std::string graphviz_dot(const Problem& problem, const std::optional<Schedule>& schedule = {});

}  // namespace poet
