#include "poet/report/energy_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

struct Part {
  const char* name;
  const char* css_class;
  double energy_j;
};

std::vector<Part> extra_parts(const EnergyParts& parts) {
  std::vector<Part> list = {{"recompute", "recompute", parts.recompute_j},
                            {"page in (read)", "page-in", parts.page_in_j},
                            {"page out (write)", "page-out", parts.page_out_j},
                            {"idle", "idle", parts.idle_j}};
  if (parts.access_j > 0) list.insert(list.end() - 1, {"slower memory", "further", parts.access_j});
  return list;
}

struct Frame {
  bool narrow = false;
  double left = 0, right = 0;
  double bars_left = 0, bars_right = 0;  // of the parts, between their names and figures
};

Frame frame_of(ChartWidth width) {
  if (width == ChartWidth::Narrow) return Frame{true, 4, 356, 112, 220};
  return Frame{false, 4, 956, 140, 780};
}

double share(double part, double whole) {
  return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

std::string draw_total(const EnergyParts& parts, const Frame& frame) {
  const double whole = parts.total_j();
  const double width = frame.right - frame.left;
  const double once = width * share(parts.compute_once_j, whole);
  std::string out = svg_text(frame.left, 14, "strong", "whole step: " + energy_figure(whole));
  out += svg_rect(frame.left, 24, once, 26, "compute");
  double x = frame.left + once;
  for (const Part& part : extra_parts(parts)) {
    const double part_px = width * share(part.energy_j, whole);
    if (part_px > 0) out += svg_rect(x, 24, part_px, 26, part.css_class);
    x += part_px;
  }
  return out + svg_text(frame.left, 68, "",
                        fmt::format("compute once: {} ({})", energy_figure(parts.compute_once_j),
                                    percent_figure(share(parts.compute_once_j, whole))));
}

// From the end of the whole bar to the width of the bars below, to show that those are a part of
// it, enlarged.
std::string draw_wedge(const EnergyParts& parts, const Frame& frame) {
  const double from =
      frame.left + (frame.right - frame.left) * share(parts.compute_once_j, parts.total_j());
  return fmt::format("<path class=\"wedge\" d=\"M{} 50H{}L{} 92H{}Z\"/>\n", coordinate(from),
                     coordinate(frame.right), coordinate(frame.right), coordinate(frame.left));
}

std::string draw_part(const Part& part, const EnergyParts& parts, const Frame& frame, double most_j,
                      double y) {
  const double width = (frame.bars_right - frame.bars_left) * share(part.energy_j, most_j);
  std::string out = svg_text(frame.left + 8, y + 15, "ink", part.name);
  if (part.energy_j > 0)
    out += svg_rect(frame.bars_left, y + 2, std::max(width, 1.5), 18, part.css_class);
  const std::string figure =
      part.energy_j > 0 ? fmt::format("{} ({})", energy_figure(part.energy_j),
                                      percent_figure(share(part.energy_j, parts.total_j())))
                        : "none";
  return out + svg_text(frame.bars_left + (part.energy_j > 0 ? std::max(width, 1.5) + 8 : 0),
                        y + 15, "", figure);
}

}  // namespace

EnergyParts energy_parts(const Problem& problem, const std::vector<TimedAction>& actions,
                         const Replay& replay) {
  EnergyParts parts{.page_in_j = replay.page_in_j,
                    .page_out_j = replay.page_out_j,
                    .access_j = replay.access_j,
                    .idle_j = replay.idle_j};
  for (const TimedAction& action : actions)
    if (action.kind == ActionKind::Compute)
      parts.compute_once_j += energy_j(problem, action);
    else if (action.kind == ActionKind::Recompute)
      parts.recompute_j += energy_j(problem, action);
  return parts;
}

Chart energy_chart(const EnergyParts& parts, ChartWidth width) {
  const Frame frame = frame_of(width);
  const std::vector<Part> extra = extra_parts(parts);
  double most_j = 0;
  for (const Part& part : extra) most_j = std::max(most_j, part.energy_j);
  Chart chart;
  chart.name = frame.narrow ? "energy_narrow" : "energy";
  chart.title = "Energy by kind";
  chart.description = fmt::format(
      "{} in all: {} to compute everything once, {} to recompute, {} "
      "to read from storage, {} to write to it, {} idle.",
      energy_figure(parts.total_j()), energy_figure(parts.compute_once_j),
      energy_figure(parts.recompute_j), energy_figure(parts.page_in_j),
      energy_figure(parts.page_out_j), energy_figure(parts.idle_j));
  if (parts.access_j > 0)
    chart.description +=
        fmt::format(" {} of it to read and write in slower memory.", energy_figure(parts.access_j));
  chart.width_px = chart_px(width);
  chart.body = draw_wedge(parts, frame);
  const double panel = 22 + 28 * static_cast<double>(extra.size());
  chart.body += svg_rect(frame.left, 92, frame.right - frame.left, panel, "wedge");
  chart.body += draw_total(parts, frame);
  double y = 102;
  for (const Part& part : extra) {
    chart.body += draw_part(part, parts, frame, most_j, y);
    y += 28;
  }
  chart.height_px = 92 + panel + 2;
  return chart;
}

}  // namespace poet
