#include "poet/report/ram_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "poet/problem/facts.h"
#include "poet/report/axis.h"
#include "poet/report/figure_text.h"
#include "poet/report/label_spread.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

// One stretch of the picture, at a height. `kind` decides the lane.
struct Bar {
  double begin = 0;
  double end = 0;
  double bytes = 0;
  ActionKind kind = ActionKind::Compute;
  bool backward = false;
};

// A horizontal line across the plot.
struct Level {
  std::string name;
  double bytes = 0;
  std::string css_class;
};

struct Lane {
  ActionKind kind;
  const char* name;
  const char* css_class;
};
constexpr Lane kLanes[] = {{ActionKind::Recompute, "recomputed", "recompute"},
                           {ActionKind::PageIn, "read", "page-in"},
                           {ActionKind::PageOut, "written", "page-out"}};

// What is drawn, in data units.
struct Series {
  std::vector<Bar> bars;
  std::vector<Level> levels;  // the budget first
  Axis across;
  std::string across_title;
  std::string peak_name;  // what the highest bar is called
};

struct Frame {
  bool narrow = false;
  double width = 0, left = 0, right = 0, top = 0, bottom = 0;  // of the plot, but for width
  double largest_x = 1;
  double largest_y = 1;

  double x(double value) const { return left + (right - left) * value / largest_x; }
  double y(double bytes) const {
    return bottom - (bottom - top) * std::min(bytes, largest_y) / largest_y;
  }
};

constexpr double kLaneHeight = 15;
constexpr double kLabelHeight = 15;
// More bars than this cannot be told apart: neighbours are drawn as one, as high as the highest.
constexpr double kMostBars = 1500;

double highest(const std::vector<Bar>& bars) {
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.bytes);
  return most;
}

// The line for the plain peak is worth more room than that for the budget: it shows what was saved.
double largest_y_of(const Series& series) {
  const double peak = std::max(1.0, highest(series.bars));
  double largest = peak;
  for (const Level& level : series.levels)
    if (level.bytes <= peak * (level.css_class == "plain" ? 4 : 1.8))
      largest = std::max(largest, level.bytes);
  return largest * 1.04;
}

std::vector<Level> levels_of(const Problem& problem) {
  return {
      {"RAM budget", static_cast<double>(problem.ram_budget_bytes), "budget"},
      {"plain peak", static_cast<double>(plain_peak_bytes(problem)), "plain"},
      {"largest working set", static_cast<double>(largest_working_set(problem).bytes), "floor"}};
}

std::vector<Bar> bars_over_actions(const std::vector<TimedAction>& actions) {
  std::vector<Bar> bars;
  for (const TimedAction& action : actions) {
    const double begin = static_cast<double>(bars.size());
    bars.push_back(Bar{begin, begin + 1, static_cast<double>(action.moment.ram_bytes), action.kind,
                       action.backward});
  }
  return bars;
}

// In the order of time, which beside an overlapped transfer is not the order of the list.
std::vector<Bar> bars_over_seconds(const std::vector<TimedAction>& actions) {
  std::vector<Bar> bars;
  for (const TimedAction& action : actions)
    bars.push_back(Bar{action.moment.begin_s, action.moment.end_s,
                       static_cast<double>(action.moment.ram_bytes), action.kind, action.backward});
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.begin < b.begin; });
  return bars;
}

double end_of(const std::vector<Bar>& bars) {
  double end = 0;
  for (const Bar& bar : bars) end = std::max(end, bar.end);
  return end;
}

Frame frame_of(const Series& series, ChartWidth width) {
  Frame frame;
  frame.narrow = width == ChartWidth::Narrow;
  frame.width = chart_px(width);
  frame.left = frame.narrow ? 80 : 86;
  frame.right = frame.width - (frame.narrow ? 10 : 158);
  frame.top = 26;
  frame.bottom = frame.narrow ? 226 : 296;
  frame.largest_x = std::max(series.across.top, 1e-300);
  frame.largest_y = largest_y_of(series);
  return frame;
}

std::string draw_backward(const Series& series, const Frame& frame) {
  const auto first = std::find_if(series.bars.begin(), series.bars.end(),
                                  [](const Bar& bar) { return bar.backward; });
  if (first == series.bars.end()) return "";
  const double x = frame.x(first->begin);
  std::string out = svg_rect(x, frame.top, frame.right - x, frame.bottom - frame.top, "shade");
  if (x - frame.left > 60) out += svg_text(frame.left + 2, frame.top - 8, "", "forward");
  if (frame.right - x > 60) out += svg_text(x + 2, frame.top - 8, "", "backward");
  return out;
}

std::string draw_vertical_axis(const Frame& frame) {
  std::string out;
  for (const Tick& tick : axis_up_to(frame.largest_y, Quantity::Bytes, 5).ticks) {
    const double y = frame.y(tick.value);
    out += svg_line(frame.left, y, frame.right, y, tick.value == 0 ? "axis" : "grid");
    out += svg_text(frame.left - 8, y + 4, "end", tick.label);
  }
  return out;
}

// Bars merged so that at most kMostBars are drawn.
std::vector<Bar> drawable(const Series& series, const Frame& frame) {
  std::vector<Bar> merged;
  const double least = frame.largest_x / kMostBars;
  for (const Bar& bar : series.bars) {
    const bool crowded = static_cast<double>(series.bars.size()) > kMostBars && !merged.empty() &&
                         bar.begin - merged.back().begin < least;
    if (crowded)
      merged.back().bytes = std::max(merged.back().bytes, bar.bytes);
    else
      merged.push_back(bar);
  }
  return merged;
}

// The upper edge of the bars from the left end to the right one: "x y" pairs as an SVG path.
std::string edge_path(const Series& series, const Frame& frame) {
  const std::vector<Bar> bars = drawable(series, frame);
  if (bars.empty()) return "";
  std::string path =
      fmt::format("M{} {}", coordinate(frame.x(bars[0].begin)), coordinate(frame.y(bars[0].bytes)));
  for (std::size_t i = 1; i < bars.size(); ++i) {
    if (bars[i].bytes == bars[i - 1].bytes) continue;
    path += fmt::format("H{}V{}", coordinate(frame.x(bars[i].begin)),
                        coordinate(frame.y(bars[i].bytes)));
  }
  return path + fmt::format("H{}", coordinate(frame.x(end_of(series.bars))));
}

std::string draw_area(const Series& series, const Frame& frame) {
  const std::string edge = edge_path(series, frame);
  if (edge.empty()) return "";
  const std::string base = coordinate(frame.bottom);
  std::string out = fmt::format("<path class=\"ram\" d=\"{}V{}H{}Z\"/>\n", edge, base,
                                coordinate(frame.x(series.bars[0].begin)));
  return out + fmt::format("<path class=\"ram-edge\" d=\"{}\"/>\n", edge);
}

// What does not fit: the part of each bar that is above the budget.
std::string draw_excess(const Series& series, const Frame& frame, double budget_bytes) {
  std::string path;
  for (const Bar& bar : drawable(series, frame))
    if (bar.bytes > budget_bytes)
      path += fmt::format("M{} {}V{}H{}V{}z", coordinate(frame.x(bar.begin)),
                          coordinate(frame.y(budget_bytes)), coordinate(frame.y(bar.bytes)),
                          coordinate(frame.x(bar.end)), coordinate(frame.y(budget_bytes)));
  return path.empty() ? "" : fmt::format("<path class=\"over\" d=\"{}\"/>\n", path);
}

std::string draw_peak(const Series& series, const Frame& frame) {
  const auto top = std::max_element(series.bars.begin(), series.bars.end(),
                                    [](const Bar& a, const Bar& b) { return a.bytes < b.bytes; });
  if (top == series.bars.end()) return "";
  const double x = frame.x((top->begin + top->end) / 2);
  const double y = frame.y(top->bytes);
  const std::string label =
      series.peak_name + " " + size_figure(static_cast<std::int64_t>(top->bytes));
  // Beside the dot, on the side with more room, and above the edge of the bars.
  const bool leftward = x > (frame.left + frame.right) / 2;
  return fmt::format("<circle class=\"peak\" cx=\"{}\" cy=\"{}\" r=\"4\"/>\n", coordinate(x),
                     coordinate(y)) +
         svg_text(x + (leftward ? -8 : 8), y - 6, leftward ? "ink end" : "ink", label);
}

bool is_above(const Level& level, const Frame& frame) {
  return level.bytes > frame.largest_y;
}

// The arrow says that the line is above the picture.
std::string level_text(const Level& level, const Frame& frame) {
  return level.name + (is_above(level, frame) ? " ↑" : "");
}

// Beside the plot, two lines each: name, and size.
std::string draw_levels_beside(const std::vector<Level>& levels, const Frame& frame) {
  std::vector<double> wanted;
  for (const Level& level : levels) wanted.push_back(frame.y(level.bytes) + 1);
  const std::vector<double> y =
      spread_labels(wanted, 2 * kLabelHeight + 5, frame.top - 2, frame.bottom - 12);
  std::string out;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double line = frame.y(levels[i].bytes);
    if (!is_above(levels[i], frame))
      out += svg_line(frame.right + 2, line, frame.right + 16, y[i] - 1, "leader");
    out += svg_text(frame.right + 20, y[i] + 3, "ink", level_text(levels[i], frame));
    out += svg_text(frame.right + 20, y[i] + 3 + kLabelHeight, "",
                    size_figure(static_cast<std::int64_t>(levels[i].bytes)));
  }
  return out;
}

// Below the plot, one line each with a sample of the line.
std::string draw_levels_below(const std::vector<Level>& levels, const Frame& frame, double top) {
  std::string out;
  for (const Level& level : levels) {
    out += svg_line(frame.left, top - 4, frame.left + 26, top - 4, level.css_class);
    out += svg_text(frame.left + 34, top, "ink", level_text(level, frame));
    out += svg_text(frame.right, top, "end", size_figure(static_cast<std::int64_t>(level.bytes)));
    top += 19;
  }
  return out;
}

std::vector<Level> from_top(std::vector<Level> levels) {
  std::stable_sort(levels.begin(), levels.end(),
                   [](const Level& a, const Level& b) { return a.bytes > b.bytes; });
  return levels;
}

std::string draw_level_lines(const Series& series, const Frame& frame) {
  std::string out;
  for (const Level& level : series.levels)
    if (!is_above(level, frame))
      out += svg_line(frame.left, frame.y(level.bytes), frame.right, frame.y(level.bytes),
                      level.css_class);
  return out;
}

// Marks of one kind; near ones grow together, and none is too thin to be seen.
std::string lane_path(const Series& series, const Frame& frame, ActionKind kind, double y) {
  std::string path;
  double end = -1;
  for (const Bar& bar : series.bars) {
    if (bar.kind != kind) continue;
    const double begin = std::max(frame.x(bar.begin), end);
    const double until = std::max(frame.x(bar.end), frame.x(bar.begin) + 1.5);
    if (until <= end) continue;
    path += fmt::format("M{} {}H{}v{}H{}z", coordinate(begin), coordinate(y), coordinate(until),
                        coordinate(kLaneHeight - 5), coordinate(begin));
    end = until;
  }
  return path;
}

std::string draw_lanes(const Series& series, const Frame& frame, double& y) {
  std::string out;
  for (const Lane& lane : kLanes) {
    const std::string path = lane_path(series, frame, lane.kind, y);
    if (path.empty()) continue;
    out += svg_line(frame.left, y + kLaneHeight - 2, frame.right, y + kLaneHeight - 2, "grid");
    out += svg_text(frame.left - 8, y + kLaneHeight - 5, "end", lane.name);
    out += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", lane.css_class, path);
    y += kLaneHeight;
  }
  return out;
}

std::string draw_horizontal_axis(const Series& series, const Frame& frame, double y) {
  std::string out;
  for (const Tick& tick : series.across.ticks) {
    const double x = frame.x(tick.value);
    out += svg_line(x, y, x, y + 4, "axis");
    const bool at_end = x + text_px(tick.label) / 2 > frame.right + (frame.narrow ? 8 : 40);
    out += svg_text(x, y + 17, at_end ? "end" : "middle", tick.label);
  }
  return out + svg_text(frame.right, y + 34, "end", series.across_title);
}

// The SVG body, and how high it came out.
Chart draw(const Series& series, ChartWidth width) {
  const Frame frame = frame_of(series, width);
  const std::vector<Level> levels = from_top(series.levels);
  Chart chart;
  chart.width_px = frame.width;
  chart.body = draw_backward(series, frame) + draw_vertical_axis(frame) + draw_area(series, frame) +
               draw_excess(series, frame, series.levels[0].bytes) +
               draw_level_lines(series, frame) + draw_peak(series, frame);
  if (!frame.narrow) chart.body += draw_levels_beside(levels, frame);
  double y = frame.bottom + 12;
  chart.body += draw_lanes(series, frame, y);
  chart.body += draw_horizontal_axis(series, frame, y);
  y += 44;
  if (frame.narrow) {
    chart.body += draw_levels_below(levels, frame, y + 14);
    y += 14 + 19 * static_cast<double>(levels.size()) - 8;
  }
  chart.height_px = y;
  chart.attributes =
      fmt::format(" data-left=\"{}\" data-right=\"{}\" data-top=\"{}\" data-bottom=\"{}\"",
                  coordinate(frame.left), coordinate(frame.right), coordinate(frame.top),
                  coordinate(frame.bottom));
  return chart;
}

std::string suffix(ChartWidth width) {
  return width == ChartWidth::Narrow ? "_narrow" : "";
}

std::string levels_sentence(const Problem& problem) {
  return fmt::format("The RAM budget is {}, the largest working set {}, the plain peak {}.",
                     size_figure(problem.ram_budget_bytes),
                     size_figure(largest_working_set(problem).bytes),
                     size_figure(plain_peak_bytes(problem)));
}

}  // namespace

Chart ram_chart(const Problem& problem, const std::vector<TimedAction>& actions, RamAxis axis,
                ChartWidth width) {
  const bool by_action = axis == RamAxis::Actions;
  Series series;
  series.bars = by_action ? bars_over_actions(actions) : bars_over_seconds(actions);
  series.levels = levels_of(problem);
  series.across = axis_up_to(end_of(series.bars), by_action ? Quantity::Count : Quantity::Seconds,
                             width == ChartWidth::Wide ? 8 : 4);
  series.peak_name = "peak";
  series.across_title =
      by_action ? "computes and transfers, in order" : "time since the step began";
  Chart chart = draw(series, width);
  chart.name = (by_action ? "ram_over_actions" : "ram_over_time") + suffix(width);
  chart.title = by_action ? "RAM in use, action by action" : "RAM in use over time";
  chart.description = fmt::format("RAM in use during {} computes and transfers, at most {}. {}",
                                  count_figure(std::ssize(actions)),
                                  size_figure(static_cast<std::int64_t>(highest(series.bars))),
                                  levels_sentence(problem));
  chart.attributes += fmt::format(" data-chart=\"{}\" data-end=\"{}\"",
                                  by_action ? "actions" : "seconds", end_of(series.bars));
  return chart;
}

Chart working_set_chart(const Problem& problem, ChartWidth width) {
  Series series;
  for (std::int32_t v = 0; v < std::ssize(problem.operations); ++v) {
    const Operation& operation = at(problem.operations, OperationId{v});
    const bool backward = operation.backward || (v > 0 && series.bars.back().backward);
    series.bars.push_back(Bar{static_cast<double>(v), v + 1.0,
                              static_cast<double>(working_set_bytes(problem, OperationId{v})),
                              ActionKind::Compute, backward});
  }
  series.levels = levels_of(problem);
  series.across = axis_up_to(static_cast<double>(series.bars.size()), Quantity::Count,
                             width == ChartWidth::Wide ? 8 : 4);
  series.peak_name = "largest";
  series.across_title = "operations, in order";
  Chart chart = draw(series, width);
  chart.name = "working_sets" + suffix(width);
  chart.title = "What each operation needs at the least";
  chart.description =
      fmt::format("The working sets of {}. {}",
                  counted(std::ssize(problem.operations), "operation"), levels_sentence(problem));
  chart.attributes +=
      fmt::format(" data-chart=\"working-sets\" data-end=\"{}\"", series.bars.size());
  return chart;
}

}  // namespace poet
