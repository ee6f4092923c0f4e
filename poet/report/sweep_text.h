#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/report/sweep_figure.h"

namespace poet {

// Of the two quantities of a schedule, the one that a picture or a column shows.
enum class SweepValue { Energy, Time };

std::optional<double> value_of(const CurvePoint& point, SweepValue value);
std::string value_figure(double amount, SweepValue value);

// What the methods of the figure make least.
SweepValue objective_of(const SweepFigure& figure);

// The objective beyond the unavoidable, as a part of that; nothing without a schedule, or where
// nothing is unavoidable.
std::optional<double> overhead_ratio(const SweepFigure& figure, const CurvePoint& point);

// All about a point, in lines; the first is the method's name.
std::vector<std::string> point_lines(const SweepFigure& figure, const Curve& curve,
                                     const CurvePoint& point);

// Whether there is a picture to draw: graphs from files need not state energies, nor times.
bool has_values(const SweepFigure& figure, SweepValue value);

// The text, or as much of it as `most_px` holds, with an ellipsis.
std::string fitted_text(std::string_view text, double most_px);

// Lines of at most `most_px`, broken between words; a longer word stands alone.
std::vector<std::string> wrapped_text(std::string_view text, double most_px);

}  // namespace poet
