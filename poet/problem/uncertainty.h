#pragma once

#include <optional>
#include <string>

#include "poet/problem/problem.h"

namespace poet {

// What follows from costs that may be above their figures (docs/model/problem.md §4).

// The time by which every schedule is later in the worst case, or more: of the costs that no
// schedule saves, as many of the largest as may be above their figures. 0 without an uncertainty.
double least_delay_s(const Problem& problem);

// No schedule that takes no longer than `deadline_s` in the worst case takes longer than this by
// the figures. Where all costs may be above them, every schedule that does keeps that deadline.
double figures_deadline_s(const Problem& problem, double deadline_s);

// The other way about: a schedule that takes so long by the figures takes no less than this in the
// worst case.
double least_worst_s(const Problem& problem, double time_s);

// Sets the deadline, in the worst case where the problem has an uncertainty.
void set_deadline(Problem& problem, double deadline_s);

// The deadline as it was asked for: that of the worst case where the problem has an uncertainty.
std::optional<double> asked_deadline_s(const Problem& problem);

// The same problem as if its figures were certain: its deadline is that by the figures.
Problem by_the_figures(Problem problem);

// "every cost may be 20 % above its figure", "up to 8 costs may be 20 % above their figures".
std::string uncertainty_words(const Uncertainty& uncertainty);

}  // namespace poet
