#include "poet/report/worth_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "poet/report/curve_look.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

constexpr double kRowPx = 18;

struct WorthFrame {
  bool narrow = false;
  double left = 0, right = 0, top = 0, bottom = 0;
  double least = 0, most = 1;  // of what choices take
  double top_ratio = 1;

  double x(double takes) const { return left + (right - left) * (takes - least) / (most - least); }
  double y(double ratio) const {
    return bottom - (bottom - top) * std::clamp(ratio / top_ratio, 0.0, 1.0);
  }
};

template <typename Look>
void each_point(const WorthChartInput& input, Look look) {
  for (const WorthCurve& curve : input.curves)
    for (const WorthPoint& point : curve.points) look(point);
}

// A limit far beyond all points would press them together.
bool shows_limit(const WorthChartInput& input, double least, double most) {
  return input.limit && *input.limit > least - (most - least) && *input.limit < 2 * most - least;
}

WorthFrame frame_of(const WorthChartInput& input, ChartWidth width) {
  const bool narrow = width == ChartWidth::Narrow;
  WorthFrame frame{.narrow = narrow,
                   .left = narrow ? 48.0 : 64.0,
                   .right = chart_px(width) - 24,
                   .least = std::numeric_limits<double>::infinity(),
                   .most = -std::numeric_limits<double>::infinity()};
  each_point(input, [&frame](const WorthPoint& point) {
    frame.least = std::min(frame.least, point.takes);
    frame.most = std::max(frame.most, point.takes);
    frame.top_ratio = std::max(frame.top_ratio, std::ceil(5 * point.gain_ratio) / 5);
  });
  if (!(frame.least <= frame.most)) frame.least = frame.most = 0;
  if (shows_limit(input, frame.least, frame.most)) {
    frame.least = std::min(frame.least, *input.limit);
    frame.most = std::max(frame.most, *input.limit);
  }
  const RangeAxis axis = axis_around(frame.least, frame.most, input.quantity, narrow ? 4 : 8);
  frame.least = axis.bottom;
  frame.most = axis.top;
  const double rows = narrow ? static_cast<double>(input.curves.size()) : 1;
  frame.top = 30 + kRowPx * rows;
  frame.bottom = frame.top + (narrow ? 200 : 280);
  return frame;
}

std::string scales(const WorthChartInput& input, const WorthFrame& frame) {
  std::string out;
  const int steps = static_cast<int>(std::lround(5 * frame.top_ratio));
  for (int k = 0; k <= steps; ++k) {
    const double y = frame.y(k / 5.0);
    out += svg_line(frame.left, y, frame.right, y, k == 0 ? "axis" : "grid");
    out += svg_text(frame.left - 6, y + 4, "end", fmt::format("{} %", 20 * k));
  }
  const RangeAxis axis = axis_around(frame.least, frame.most, input.quantity, frame.narrow ? 4 : 8);
  for (const Tick& tick : axis.ticks) {
    if (tick.value < frame.least || tick.value > frame.most) continue;
    const double x = frame.x(tick.value);
    out += svg_line(x, frame.bottom, x, frame.bottom + 5, "axis");
    out += svg_text(x, frame.bottom + 19, "middle", tick.label);
  }
  return out + svg_text(frame.right, frame.bottom + 36, "end", input.takes);
}

std::string legend(const WorthChartInput& input, const WorthFrame& frame) {
  std::string out;
  double x = 4;
  double y = 34;
  for (const WorthCurve& curve : input.curves) {
    const CurveLook look = curve_look(input.ways, curve.way);
    out += fmt::format("<g {}>{}</g>\n", look_attributes(look), look_sample(look, x, y - 4));
    out += svg_text(x + kLookSamplePx + 6, y, "ink", curve.way);
    if (frame.narrow)
      y += kRowPx;
    else
      x += kLookSamplePx + 24 + text_px(curve.way);
  }
  return out;
}

std::string figure(double takes, Quantity quantity) {
  return quantity == Quantity::Bytes ? size_figure(static_cast<std::int64_t>(takes))
                                     : energy_figure(takes);
}

std::string draw_curve(const WorthChartInput& input, const WorthCurve& curve,
                       const WorthFrame& frame) {
  const CurveLook look = curve_look(input.ways, curve.way);
  std::string line, marks;
  for (const WorthPoint& point : curve.points) {
    const double x = frame.x(point.takes);
    const double y = frame.y(point.gain_ratio);
    line += fmt::format("{}{} {}", line.empty() ? "M" : "L", coordinate(x), coordinate(y));
    const std::string title =
        frame.narrow
            ? ""
            : fmt::format(
                  "<title>{}</title>",
                  escape_markup(fmt::format(
                      "{}: {} of the gain, {}{}", point.train, percent_figure(point.gain_ratio),
                      figure(point.takes, input.quantity), point.fits ? "" : "; does not fit")));
    marks += curve_mark(look, point.fits ? MarkSize::Full : MarkSize::Small, x, y, "", title);
  }
  return fmt::format("<g {}>\n<path class=\"curve\" d=\"{}\"/>\n{}</g>\n", look_attributes(look),
                     line, marks);
}

std::string draw_limit(const WorthChartInput& input, const WorthFrame& frame) {
  if (!input.limit || *input.limit < frame.least || *input.limit > frame.most) return "";
  const double x = frame.x(*input.limit);
  const std::string label = "budget " + figure(*input.limit, input.quantity);
  const bool fits_right = x + 6 + text_px(label) < frame.right;
  return svg_line(x, frame.top, x, frame.bottom, "budget") +
         svg_text(fits_right ? x + 6 : x - 6, frame.bottom - 8, fits_right ? "halo" : "halo end",
                  label);
}

std::string draw_best(const WorthChartInput& input, const WorthFrame& frame) {
  if (!input.best) return "";
  const double x = frame.x(input.best->takes);
  const double y = frame.y(input.best->gain_ratio);
  const bool left = x > (frame.left + frame.right) / 2;
  return fmt::format("<circle class=\"ram-edge\" cx=\"{}\" cy=\"{}\" r=\"9\"/>\n", coordinate(x),
                     coordinate(y)) +
         svg_text(left ? x - 14 : x + 14, y + 16, left ? "halo strong end" : "halo strong", "best");
}

std::string description_of(const WorthChartInput& input) {
  std::string text;
  for (const WorthCurve& curve : input.curves) {
    const WorthPoint& first = curve.points.front();
    const WorthPoint& last = curve.points.back();
    text += fmt::format("{}: {} at {}, {} at {}. ", curve.way, percent_figure(first.gain_ratio),
                        figure(first.takes, input.quantity), percent_figure(last.gain_ratio),
                        figure(last.takes, input.quantity));
  }
  if (input.best) text += fmt::format("The best that fits: {}.", input.best->train);
  return text;
}

}  // namespace

Chart worth_chart(const WorthChartInput& input, ChartWidth width) {
  const WorthFrame frame = frame_of(input, width);
  Chart chart;
  chart.name = input.name + (frame.narrow ? "_narrow" : "");
  chart.title = input.title;
  chart.description = description_of(input);
  chart.width_px = chart_px(width);
  chart.height_px = frame.bottom + 46;
  chart.body = svg_text(4, 14, "strong", input.title) + legend(input, frame) +
               scales(input, frame) + draw_limit(input, frame);
  for (const WorthCurve& curve : input.curves) chart.body += draw_curve(input, curve, frame);
  chart.body += draw_best(input, frame);
  return chart;
}

}  // namespace poet
