#pragma once

#include <vector>

#include "poet/measure/power_rows.h"

namespace poet {

// Neighbouring actions in rows that take `least_s` or more each, by what each action took; what is
// left at the end of the step belongs to the last row. A row that would have no action that counts
// is left out: it is what happens between micro-batches.
std::vector<PowerRow> rows_of_step(const std::vector<LoggedAction>& step,
                                   const std::vector<double>& action_s, double least_s);

// Edges of actions are known as well as samples are apart, so that a row of so many is known to a
// twentieth at worst, and better with every step.
inline constexpr double kLeastSamplesOfARow = 10;

}  // namespace poet
