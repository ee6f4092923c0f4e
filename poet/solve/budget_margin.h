#pragma once

#include <cstdint>
#include <vector>

#include "poet/solve/event_model.h"
#include "poet/solve/linear_model.h"
#include "poet/solve/window_model.h"

namespace poet {

// Rows on budgets, and what backends make of them.
//
// A backend works in doubles within tolerances. Where a byte is less than about 1e-7 of the largest
// size in a row, its presolve and its cuts have lost schedules that meet a budget to the byte, and
// so has a deadline that is met exactly. Bounds and infeasibility must hold whatever a backend
// rounds. So each row on bytes or time is given a margin before a backend sees it: a relaxation, in
// which no schedule is near the edge. What then breaks a budget by less than the margin is found in
// whole bytes, and cut off by name.
//
// The margin is this part of the largest coefficient of the row. Sizes whose ratio is below a
// million, counted in their common divisor, never come near it: for them the row stays exact.
inline constexpr double kBudgetMargin = 1e-6;

// Widens every row on a budget by its margin. Once per model, after every other change to its rows.
void add_margins(EventModel& model);
void add_margins(WindowModel& model);

// Cover inequalities, one for each row on a budget that whole values keep only thanks to its
// margin: not all that is chosen there may be chosen together. No schedule within the budget breaks
// one. `values`: of the columns; those of integer columns are rounded. The model has margins.
std::vector<LinearRow> covers_of_broken_budgets(const EventModel& model,
                                                const std::vector<double>& values);
std::vector<LinearRow> covers_of_broken_budgets(const WindowModel& model,
                                                const std::vector<double>& values);

}  // namespace poet
