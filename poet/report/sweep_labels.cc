#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "poet/report/figure_text.h"
#include "poet/report/label_spread.h"
#include "poet/report/markup.h"
#include "poet/report/sweep_frame.h"

namespace poet {
namespace {

constexpr double kLineHeight = 16;

// A name with a sample of its line, and where that line ends.
struct LineEnd {
  std::string name;
  std::string attributes;  // of the group
  std::string sample;      // at the origin
  std::string more;        // beside the name, below a chart
  double x = 0, y = 0;
  double mean_y = 0;  // orders lines that end at one place
};

LineEnd curve_end(const DrawnCurve& one) {
  LineEnd end{one.curve->method, look_attributes(one.look), look_sample(one.look, 0, 0), ""};
  if (one.curve->least_budget_bytes)
    end.more = "from " + size_figure(*one.curve->least_budget_bytes);
  end.x = one.spots.back().x;
  end.y = one.spots.back().y;
  for (const Spot& spot : one.spots) end.mean_y += spot.y;
  end.mean_y /= static_cast<double>(one.spots.size());
  return end;
}

LineEnd bound_end(const SweepDrawing& drawing) {
  const BoundPoint& last = drawing.figure->bounds.back();
  LineEnd end{"bound", "class=\"bound\"", svg_line(0, 0, kLookSamplePx, 0, "floor"), ""};
  end.x = drawing.frame.x(static_cast<double>(last.ram_budget_bytes));
  end.y = drawing.frame.y(last.bound);
  end.mean_y = drawing.frame.bottom;
  return end;
}

// From top to bottom, as the lines end.
std::vector<LineEnd> line_ends(const SweepDrawing& drawing) {
  std::vector<LineEnd> ends;
  for (const DrawnCurve& one : drawing.curves) ends.push_back(curve_end(one));
  if (drawing.shows_objective() && !drawing.figure->bounds.empty())
    ends.push_back(bound_end(drawing));
  std::stable_sort(ends.begin(), ends.end(), [](const LineEnd& a, const LineEnd& b) {
    return a.y != b.y ? a.y < b.y : a.mean_y < b.mean_y;
  });
  return ends;
}

std::string moved(const std::string& body, double x, double y) {
  return fmt::format("<g transform=\"translate({} {})\">{}</g>\n", coordinate(x), coordinate(y),
                     body);
}

std::string leader(const LineEnd& end, const SweepFrame& frame, double y) {
  const double from = std::min(end.x + 7, frame.right);
  return fmt::format("<path class=\"leader\" d=\"M{} {}H{}L{} {}\"/>\n", coordinate(from),
                     coordinate(end.y), coordinate(frame.right), coordinate(frame.right + 16),
                     coordinate(y));
}

}  // namespace

std::string draw_end_labels(const SweepDrawing& drawing) {
  const SweepFrame& frame = drawing.frame;
  const std::vector<LineEnd> ends = line_ends(drawing);
  std::vector<double> wanted;
  std::transform(ends.begin(), ends.end(), std::back_inserter(wanted),
                 [](const LineEnd& end) { return end.y; });
  const std::vector<double> places = spread_labels(wanted, kLineHeight, frame.top, frame.bottom);
  const double text_x = frame.right + 18 + kLookSamplePx + 6;
  std::string out;
  for (std::size_t i = 0; i < ends.size(); ++i)
    out += fmt::format(
        "<g {}>\n{}{}{}</g>\n", ends[i].attributes, leader(ends[i], frame, places[i]),
        moved(ends[i].sample, frame.right + 18, places[i]),
        svg_text(text_x, places[i] + 4, "ink", fitted_text(ends[i].name, frame.width - text_x)));
  return out;
}

std::string draw_legend_below(const SweepDrawing& drawing, double& y) {
  const SweepFrame& frame = drawing.frame;
  std::string out;
  for (const LineEnd& end : line_ends(drawing)) {
    const double room = frame.width - 8 - kLookSamplePx - 8 - text_px(end.more) - 10;
    out += fmt::format("<g {}>\n{}{}{}</g>\n", end.attributes, moved(end.sample, 8, y - 4),
                       svg_text(16 + kLookSamplePx, y, "ink", fitted_text(end.name, room)),
                       svg_text(frame.right, y, "end", end.more));
    y += kLineHeight + 3;
  }
  return out;
}

}  // namespace poet
