#pragma once

#include <string>
#include <vector>

#include "poet/report/sweep_figure.h"

namespace poet {

// Tables of one figure, as HTML. `methods` gives each method its look, as in the charts.

// The smallest budget of the sweep at which each method fits, smallest first; then those that fit
// nowhere.
std::string least_budget_table(const SweepFigure& figure, const std::vector<std::string>& methods);

// Every point, with exact figures.
std::string point_table(const SweepFigure& figure, const std::vector<std::string>& methods);

// A method's name with a sample of its line.
std::string method_name(const std::vector<std::string>& methods, const std::string& method);

}  // namespace poet
