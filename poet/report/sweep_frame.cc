#include "poet/report/sweep_frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/report/figure_text.h"

namespace poet {
namespace {

Quantity quantity_of(SweepValue value) {
  return value == SweepValue::Energy ? Quantity::Joules : Quantity::Seconds;
}

std::vector<double> values_shown(const SweepFigure& figure, SweepValue value) {
  std::vector<double> values;
  for (const Curve& curve : figure.curves)
    for (const CurvePoint& point : curve.points)
      if (const std::optional<double> one = value_of(point, value); one && point.fits)
        values.push_back(*one);
  return values;
}

// A deadline far from every time would press the times together.
void add_near_deadline(const SweepFigure& figure, std::vector<double>& times) {
  if (!figure.deadline_s || times.empty()) return;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  if (*figure.deadline_s - *most <= 1.5 * (*most - *least)) times.push_back(*figure.deadline_s);
}

ValueScale scale_of(const SweepFigure& figure, SweepValue value) {
  std::vector<double> values = values_shown(figure, value);
  const bool of_overhead = value == objective_of(figure) && figure.unavoidable > 0;
  if (value == SweepValue::Time && !of_overhead) add_near_deadline(figure, values);
  if (!of_overhead) return plain_scale(values, quantity_of(value));
  std::vector<double> bounds;
  for (const BoundPoint& one : figure.bounds) bounds.push_back(one.bound);
  return overhead_scale(values, bounds, figure.unavoidable, quantity_of(value));
}

std::vector<Landmark> landmarks_of(const SweepFigure& figure) {
  std::vector<Landmark> all;
  const auto add = [&](const char* name, std::int64_t bytes, const char* css_class) {
    if (bytes > 0)
      all.push_back(
          {fmt::format("{} {}", name, size_figure(bytes)), static_cast<double>(bytes), css_class});
  };
  add("largest working set", figure.largest_working_set_bytes, "floor");
  add("plain peak", figure.plain_peak_bytes, "plain");
  if (figure.device_ram_bytes) add("RAM of the device", *figure.device_ram_bytes, "device");
  std::stable_sort(all.begin(), all.end(),
                   [](const Landmark& a, const Landmark& b) { return a.bytes < b.bytes; });
  return all;
}

// The budgets, and the landmarks near them, with a margin.
void set_range(const SweepFigure& figure, SweepFrame& frame, std::vector<Landmark>& landmarks) {
  std::vector<double> budgets;
  for (const Curve& curve : figure.curves)
    for (const CurvePoint& point : curve.points)
      budgets.push_back(static_cast<double>(point.ram_budget_bytes));
  if (budgets.empty()) budgets = {0, static_cast<double>(figure.plain_peak_bytes)};
  const auto [first, last] = std::minmax_element(budgets.begin(), budgets.end());
  double least = *first, most = *last;
  // Around a single budget there is nothing else to see.
  const double reach = most > least
                           ? 0.2 * (most - least)
                           : std::max(0.0, static_cast<double>(figure.plain_peak_bytes -
                                                               figure.largest_working_set_bytes));
  const double low = least - reach, high = most + reach;
  std::erase_if(landmarks,
                [&](const Landmark& one) { return one.bytes < low || one.bytes > high; });
  for (const Landmark& one : landmarks) {
    least = std::min(least, one.bytes);
    most = std::max(most, one.bytes);
  }
  const double margin = most > least ? 0.03 * (most - least) : std::max(1.0, 0.05 * most);
  frame.least_bytes = std::max(0.0, least - margin);
  frame.most_bytes = most + margin;
}

void set_sides(const SweepDrawing& drawing, SweepFrame& frame) {
  frame.left = frame.narrow ? 74 : 132;
  frame.right = frame.width - 12;
  if (frame.narrow) return;
  double longest = text_px("bound");
  for (const Curve& curve : drawing.figure->curves)
    longest = std::max(longest, text_px(curve.method));
  frame.right = frame.width - 66 - std::min(longest, 160.0);
}

// Each label in the lowest row where it covers no other.
int set_rows(const SweepFrame& frame, std::vector<Landmark>& landmarks) {
  std::vector<double> ends;  // of the text in each row
  for (Landmark& one : landmarks) {
    const double begin = landmark_text_x(frame, one);
    const auto free =
        std::find_if(ends.begin(), ends.end(), [&](double end) { return end + 12 <= begin; });
    one.row = static_cast<int>(free - ends.begin());
    if (free == ends.end()) ends.push_back(0);
    ends[static_cast<std::size_t>(one.row)] = begin + text_px(one.label);
  }
  return static_cast<int>(ends.size());
}

std::string caption_of(const SweepDrawing& drawing) {
  const SweepFigure& figure = *drawing.figure;
  const ValueScale& scale = drawing.frame.scale;
  const bool energy = drawing.request.value == SweepValue::Energy;
  std::string text;
  if (scale.kind != ValueScale::Kind::Plain) {
    text = fmt::format("The axis begins at the unavoidable {}, not at 0",
                       value_figure(figure.unavoidable, drawing.request.value));
    if (scale.kind == ValueScale::Kind::LogOverhead)
      text += fmt::format(", and is logarithmic above {}", percent_figure(scale.knee_ratio));
  } else {
    text = scale.bottom > 0 ? "The axis does not begin at 0" : "The axis begins at 0";
  }
  if (drawing.shows_objective() && !figure.bounds.empty())
    text += figure.has_other_steps
                ? ". Shaded: no schedule of the class is there for the shared step"
                : ". Shaded: no schedule of the class is there";
  if (!energy && figure.deadline_s && scale.kind == ValueScale::Kind::Plain &&
      *figure.deadline_s > scale.top)
    text +=
        fmt::format(". The deadline, {}, is above the picture", time_figure(*figure.deadline_s));
  return text + ".";
}

DrawnCurve drawn(const Curve& curve, const SweepDrawing& drawing) {
  DrawnCurve out{&curve, curve_look(drawing.request.methods, curve.method), {}};
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];
    const std::optional<double> value = value_of(point, drawing.request.value);
    if (!point.fits || !value) continue;
    const bool joined = !out.spots.empty() && out.spots.back().point + 1 == i;
    out.spots.push_back({drawing.frame.x(static_cast<double>(point.ram_budget_bytes)),
                         drawing.frame.y(*value), i, joined});
  }
  return out;
}

}  // namespace

double landmark_text_x(const SweepFrame& frame, const Landmark& landmark) {
  const double width = text_px(landmark.label);
  return std::clamp(frame.x(landmark.bytes) - width / 2, 4.0,
                    std::max(4.0, frame.width - 4 - width));
}

SweepDrawing sweep_drawing(const SweepFigure& figure, const SweepChartRequest& request) {
  SweepDrawing drawing;
  drawing.figure = &figure;
  drawing.request = request;
  SweepFrame& frame = drawing.frame;
  frame.narrow = request.width == ChartWidth::Narrow;
  frame.width = chart_px(request.width);
  frame.scale = scale_of(figure, request.value);
  drawing.landmarks = landmarks_of(figure);
  set_range(figure, frame, drawing.landmarks);
  set_sides(drawing, frame);
  drawing.caption = wrapped_text(caption_of(drawing), frame.width - 8);
  const double lines =
      static_cast<double>(drawing.caption.size()) + 1 + set_rows(frame, drawing.landmarks);
  frame.top = 14 + kSweepRowPx * lines + 10;
  const double rows = static_cast<double>(figure.curves.size() + 1);
  frame.bottom = frame.top + (frame.narrow ? 250 : std::max(290.0, 17 * rows));
  for (const Curve& curve : figure.curves) {
    DrawnCurve one = drawn(curve, drawing);
    if (one.spots.empty())
      drawing.unfit.push_back(curve.method);
    else
      drawing.curves.push_back(std::move(one));
  }
  return drawing;
}

}  // namespace poet
