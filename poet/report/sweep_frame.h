#pragma once

#include <optional>
#include <vector>

#include "poet/report/axis.h"
#include "poet/report/curve_look.h"
#include "poet/report/sweep_chart.h"

namespace poet {

// What a chart of a sweep shows, and where. Its parts are drawn by several files.

struct Spot {
  double x = 0, y = 0;
  std::size_t point = 0;  // of the curve
  bool joined = false;    // with the spot before: the method fits at neighbouring budgets
};

struct DrawnCurve {
  const Curve* curve = nullptr;
  CurveLook look;
  std::vector<Spot> spots;
};

// A RAM size worth a vertical line, with its label above the plot.
struct Landmark {
  std::string label;
  double bytes = 0;
  const char* css_class = "";
  int row = 0;  // of the label; 0 is next to the plot
};

struct SweepFrame {
  bool narrow = false;
  double width = 0, left = 0, right = 0, top = 0, bottom = 0;  // of the plot, but for width
  double least_bytes = 0, most_bytes = 1;
  ValueScale scale;

  double x(double bytes) const {
    return left + (right - left) * (bytes - least_bytes) / (most_bytes - least_bytes);
  }
  double y(double value) const { return bottom - (bottom - top) * scale.place(value); }
};

struct SweepDrawing {
  const SweepFigure* figure = nullptr;
  SweepChartRequest request;
  SweepFrame frame;
  std::vector<std::string> caption;  // lines at the top
  std::vector<Landmark> landmarks;   // inside the range of budgets
  std::vector<DrawnCurve> curves;    // with at least one spot
  std::vector<std::string> unfit;    // methods without one

  bool shows_objective() const { return request.value == objective_of(*figure); }
};

// Everything but the bodies of the chart.
SweepDrawing sweep_drawing(const SweepFigure& figure, const SweepChartRequest& request);

constexpr double kSweepRowPx = 15;  // of text

// Where the text of a landmark begins, in a row that it shares with others.
double landmark_text_x(const SweepFrame& frame, const Landmark& landmark);

// Names beside the ends of the lines, of a wide chart.
std::string draw_end_labels(const SweepDrawing& drawing);
// Names below a narrow chart, from `y` on, which is moved on.
std::string draw_legend_below(const SweepDrawing& drawing, double& y);

}  // namespace poet
