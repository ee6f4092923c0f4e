#include "poet/report/sweep_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/report/figure_text.h"
#include "poet/report/markup.h"
#include "poet/report/sweep_frame.h"

namespace poet {
namespace {

std::string joined_text(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::string draw_heading(const SweepDrawing& drawing) {
  double y = 14;
  std::string heading =
      drawing.request.value == SweepValue::Energy ? "Energy of one step" : "Time of one step";
  if (!drawing.request.heading.empty()) heading += ": " + drawing.request.heading;
  std::string out = svg_text(4, y, "strong", fitted_text(heading, drawing.frame.width - 8));
  y += kSweepRowPx;
  for (const std::string& line : drawing.caption) {
    out += svg_text(4, y, "", line);
    y += kSweepRowPx;
  }
  return out;
}

// On a narrow chart the figures stand below the ratios, where there is room.
std::string draw_vertical_axis(const SweepFrame& frame) {
  std::string out;
  double last_figure_y = frame.bottom + 100;
  for (const ScaleTick& tick : frame.scale.ticks) {
    if (frame.narrow && tick.minor) continue;
    const double y = frame.bottom - (frame.bottom - frame.top) * tick.place;
    out += svg_line(frame.left, y, frame.right, y, tick.place == 0 ? "axis" : "grid");
    const bool below = frame.narrow && !tick.figure.empty() && last_figure_y - y >= 27;
    const double shift = below ? (tick.place == 0 ? -9 : -2) : 4;
    out += svg_text(frame.left - 8, y + shift, "end ink", tick.label);
    if (below) {
      out += svg_text(frame.left - 8, y + shift + 13, "end", tick.figure);
      last_figure_y = y;
    } else if (!frame.narrow) {
      out += svg_text(frame.left - 62, y + 4, "end", tick.figure);
    }
  }
  return out;
}

std::string draw_horizontal_axis(const SweepFrame& frame) {
  const RangeAxis axis =
      axis_around(frame.least_bytes, frame.most_bytes, Quantity::Bytes, frame.narrow ? 4 : 7);
  std::string out = svg_line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  for (const Tick& tick : axis.ticks) {
    if (tick.value < frame.least_bytes || tick.value > frame.most_bytes) continue;
    const double x = frame.x(tick.value);
    out += svg_line(x, frame.bottom, x, frame.bottom + 5, "axis");
    const double half = text_px(tick.label) / 2;
    out += svg_text(std::min(x, frame.width - 2 - half), frame.bottom + 19, "middle", tick.label);
  }
  return out + svg_text(frame.right, frame.bottom + 36, "end", "RAM budget");
}

std::string draw_landmarks(const SweepDrawing& drawing) {
  const SweepFrame& frame = drawing.frame;
  std::string lines, labels;
  for (const Landmark& one : drawing.landmarks) {
    const double text_y = frame.top - 12 - kSweepRowPx * one.row;
    const double x = frame.x(one.bytes);
    lines += svg_line(x, text_y + 3, x, frame.bottom, one.css_class);
    labels += svg_text(landmark_text_x(frame, one), text_y, "halo", one.label);
  }
  return lines + labels;
}

// What bounds a budget holds at smaller ones too, so each bound reaches from the budget
// before to its own, and is no less than those at larger budgets.
std::string draw_bound(const SweepDrawing& drawing) {
  const SweepFrame& frame = drawing.frame;
  std::vector<BoundPoint> bounds = drawing.figure->bounds;
  if (!drawing.shows_objective() || bounds.empty()) return "";
  for (std::size_t i = bounds.size() - 1; i-- > 0;)
    bounds[i].bound = std::max(bounds[i].bound, bounds[i + 1].bound);
  std::string edge =
      fmt::format("M{} {}", coordinate(frame.left), coordinate(frame.y(bounds[0].bound)));
  for (const BoundPoint& one : bounds)
    edge += fmt::format("V{}H{}", coordinate(frame.y(one.bound)),
                        coordinate(frame.x(static_cast<double>(one.ram_budget_bytes))));
  return fmt::format(
      "<g class=\"bound\"><path class=\"below\" d=\"{}V{}H{}Z\"/>\n<path class=\"floor\" "
      "d=\"{}\"/></g>\n",
      edge, coordinate(frame.bottom), coordinate(frame.left), edge);
}

std::string draw_deadline(const SweepDrawing& drawing) {
  const SweepFrame& frame = drawing.frame;
  if (drawing.request.value != SweepValue::Time || !drawing.figure->deadline_s) return "";
  const double deadline_s = *drawing.figure->deadline_s;
  const ValueScale& scale = frame.scale;
  const double top =
      scale.kind == ValueScale::Kind::Plain ? scale.top : scale.unavoidable * (1 + scale.top);
  if (deadline_s > top || drawing.curves.empty()) return "";
  const double y = frame.y(deadline_s);
  const double text_y = y - frame.top > 18 ? y - 6 : y + 16;
  return svg_line(frame.left, y, frame.right, y, "budget") +
         svg_text(frame.left + 6, text_y, "halo", "deadline " + time_figure(deadline_s));
}

// Narrow charts are for small screens, where nothing is pointed at: the page looks texts up in the
// wide one.
std::string draw_curve(const SweepDrawing& drawing, const DrawnCurve& one) {
  // Of neighbours that would touch.
  const double span = one.spots.back().x - one.spots.front().x;
  const bool crowded = span < 16 * static_cast<double>(one.spots.size() - 1);
  const MarkSize size = crowded ? MarkSize::Small : MarkSize::Full;
  std::string line, marks;
  for (const Spot& spot : one.spots) {
    line += fmt::format("{}{} {}", spot.joined ? "L" : "M", coordinate(spot.x), coordinate(spot.y));
    const CurvePoint& point = one.curve->points[spot.point];
    const std::string title =
        drawing.frame.narrow ? ""
                             : "<title>" +
                                   escape_markup(joined_text(
                                       point_lines(*drawing.figure, *one.curve, point), "\n")) +
                                   "</title>";
    const std::string at =
        fmt::format(" data-at=\"{}.{}\" data-x=\"{}\" data-y=\"{}\"", one.look.place, spot.point,
                    coordinate(spot.x), coordinate(spot.y));
    marks += curve_mark(one.look, size, spot.x, spot.y, at, title);
  }
  return fmt::format("<g {}>\n<path class=\"curve\" d=\"{}\"/>\n{}</g>\n",
                     look_attributes(one.look), line, marks);
}

std::string draw_curves(const SweepDrawing& drawing) {
  std::string foremost, others;
  for (const DrawnCurve& one : drawing.curves)
    (one.look.foremost ? foremost : others) += draw_curve(drawing, one);
  if (!drawing.curves.empty()) return foremost + others;
  const SweepFrame& frame = drawing.frame;
  return svg_text(
      (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2, "middle strong halo",
      frame.narrow ? "nothing fits at these budgets" : "no method fits at any of these budgets");
}

std::string draw_unfit(const SweepDrawing& drawing, double& y) {
  if (drawing.unfit.empty() || drawing.curves.empty()) return "";
  std::string out;
  const std::string text =
      "Fits at none of these budgets: " + joined_text(drawing.unfit, ", ") + ".";
  for (const std::string& line : wrapped_text(text, drawing.frame.width - 8)) {
    out += svg_text(4, y, "", fitted_text(line, drawing.frame.width - 8));
    y += kSweepRowPx;
  }
  return out;
}

std::string description_of(const SweepDrawing& drawing) {
  std::vector<std::string> sentences = drawing.caption;
  for (const DrawnCurve& one : drawing.curves) {
    const CurvePoint& first = one.curve->points[one.spots.front().point];
    const CurvePoint& last = one.curve->points[one.spots.back().point];
    const auto told = [&](const CurvePoint& point) {
      return fmt::format(
          "{} at {}",
          value_figure(value_of(point, drawing.request.value).value_or(0), drawing.request.value),
          size_figure(point.ram_budget_bytes));
    };
    sentences.push_back(fmt::format("{}: {}{}.", one.curve->method, told(first),
                                    &first == &last ? "" : ", " + told(last)));
  }
  if (!drawing.unfit.empty())
    sentences.push_back("Fits at none of these budgets: " + joined_text(drawing.unfit, ", ") + ".");
  return joined_text(sentences, " ");
}

}  // namespace

std::vector<std::string> method_names(const SweepFigure& figure) {
  std::vector<std::string> names;
  for (const Curve& curve : figure.curves) names.push_back(curve.method);
  return names;
}

Chart sweep_chart(const SweepFigure& figure, const SweepChartRequest& request) {
  const SweepDrawing drawing = sweep_drawing(figure, request);
  const SweepFrame& frame = drawing.frame;
  const bool energy = request.value == SweepValue::Energy;
  Chart chart;
  chart.name =
      std::string(energy ? "energy" : "time") + "_by_budget" + (frame.narrow ? "_narrow" : "");
  chart.title = fmt::format("{} against RAM budget", energy ? "Energy" : "Time");
  if (!figure.title.empty()) chart.title += ": " + figure.title;
  chart.description = description_of(drawing);
  chart.width_px = frame.width;
  chart.body = draw_heading(drawing) + draw_bound(drawing) + draw_vertical_axis(frame) +
               draw_horizontal_axis(frame) + draw_landmarks(drawing) + draw_deadline(drawing);
  if (!frame.narrow) chart.body += draw_end_labels(drawing);
  chart.body += draw_curves(drawing);
  double y = frame.bottom + (frame.narrow ? 58 : 56);
  if (frame.narrow) chart.body += draw_legend_below(drawing, y);
  chart.body += draw_unfit(drawing, y);
  chart.height_px = y - 8;
  chart.attributes = " data-chart=\"sweep\"";
  return chart;
}

Chart sweep_energy_chart(const SweepFigure& figure, ChartWidth width) {
  return sweep_chart(figure, {SweepValue::Energy, width, method_names(figure), figure.title});
}

Chart sweep_time_chart(const SweepFigure& figure, ChartWidth width) {
  return sweep_chart(figure, {SweepValue::Time, width, method_names(figure), figure.title});
}

}  // namespace poet
