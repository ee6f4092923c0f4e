#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/report/chart.h"

namespace poet {

// One method at one RAM budget of a sweep.
struct CurvePoint {
  std::int64_t ram_budget_bytes = 0;
  bool fits = false;
  std::string verdict = {};  // "fits, best", "over RAM", "cannot", ...: for people
  std::string reason = {};   // a clause, unless it fits
  // Of the schedule; set when there is one, also where it breaks a limit.
  std::optional<double> energy_j = {};
  std::optional<double> time_s = {};
  std::int64_t peak_ram_bytes = 0;
  std::int64_t recomputed_operations = 0;
  std::int64_t paged_tensors = 0;
};

struct Curve {
  std::string method = {};
  std::string what = {};                // one line about the method
  std::vector<CurvePoint> points = {};  // by budget, ascending
  // The smallest budget of the sweep at which it fits.
  std::optional<std::int64_t> least_budget_bytes = {};
};

// What no schedule of the class can be below, at one budget.
struct BoundPoint {
  std::int64_t ram_budget_bytes = 0;
  double bound = 0;  // J, or s when time is made least
};

// A network on a device for one deadline: the trade-off curves of several methods.
struct SweepFigure {
  std::string title =
      {};  // "resnet18_cifar on m4, released graph, free transfers, at most 74.53 s"
  bool least_time = false;  // what the methods make least: time, not energy
  double unavoidable = 0;   // J or s, as above: no schedule has less at any budget
  std::optional<double> deadline_s = {};
  std::int64_t largest_working_set_bytes = 0;
  std::int64_t plain_peak_bytes = 0;
  std::optional<std::int64_t> device_ram_bytes = {};
  std::vector<Curve> curves = {};       // POET last
  std::vector<BoundPoint> bounds = {};  // by budget, ascending
  bool has_other_steps = false;         // a curve is of other steps than the bounds
};

// Energy against RAM budget, and time against it, on one scale of budgets. Points that do not fit
// are left out. Told apart by colour, by dashes and by the shape of the marks, with names at the
// ends of the lines.
Chart sweep_energy_chart(const SweepFigure& figure, ChartWidth width);
Chart sweep_time_chart(const SweepFigure& figure, ChartWidth width);

// One self-contained page with every figure: points say what they are when pointed at or focused,
// methods can be hidden, and tables give the numbers. Nothing is fetched from anywhere. `command`:
// how the sweep was made.
std::string sweep_page(const std::vector<SweepFigure>& figures, const std::string& command);

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
