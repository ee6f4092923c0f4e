#pragma once

#include <vector>

#include "poet/problem/problem.h"
#include "poet/report/chart.h"
#include "poet/report/timed_actions.h"

namespace poet {

// What the horizontal axis counts: actions, all equally wide, or seconds.
enum class RamAxis { Actions, Seconds };

// RAM in use over the step, with the budget, the largest working set and the plain peak as lines,
// the backward pass shaded, and below it one lane each for what is recomputed, read and written. A
// line far above everything that happens is named at the top instead, so that the steps stay
// visible.
Chart ram_chart(const Problem& problem, const std::vector<TimedAction>& actions, RamAxis axis,
                ChartWidth width);

// For an answer without a schedule: the working set of each operation against the budget.
Chart working_set_chart(const Problem& problem, ChartWidth width);

}  // namespace poet
