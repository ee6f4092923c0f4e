#include "poet/report/learning_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "poet/base/check.h"
#include "poet/report/axis.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

struct CurveFrame {
  bool narrow = false;
  double left = 0, right = 0, top = 0, bottom = 0;
  double first_step = 1, last_step = 1;
  RangeAxis up = {};

  double x(double step) const {
    return left + (right - left) * (step - first_step) / std::max(1.0, last_step - first_step);
  }
  double y(double value) const {
    return bottom - (bottom - top) * (std::clamp(value, up.bottom, up.top) - up.bottom) /
                        (up.top - up.bottom);
  }
};

std::int64_t last_step(const LearningCurve& curve) {
  std::int64_t last = curve.first_step + std::ssize(curve.losses) - 1;
  for (const TestedStep& tested : curve.tested) last = std::max(last, tested.step);
  return last;
}

CurveFrame frame_of(const LearningCurve& curve, ChartWidth width, const RangeAxis& up) {
  const bool narrow = width == ChartWidth::Narrow;
  return {.narrow = narrow,
          .left = narrow ? 52.0 : 64.0,
          .right = chart_px(width) - 12,
          .top = 44,
          .bottom = narrow ? 220.0 : 300.0,
          .first_step = static_cast<double>(curve.first_step),
          .last_step = static_cast<double>(last_step(curve)),
          .up = up};
}

std::string scales(const CurveFrame& frame) {
  std::string out;
  for (const Tick& tick : frame.up.ticks) {
    out += svg_line(frame.left, frame.y(tick.value), frame.right, frame.y(tick.value), "grid");
    out += svg_text(frame.left - 6, frame.y(tick.value) + 4, "end", tick.label);
  }
  for (const Tick& tick :
       axis_up_to(frame.last_step, Quantity::Count, frame.narrow ? 4 : 8).ticks) {
    if (tick.value < frame.first_step) continue;
    out += svg_text(frame.x(tick.value), frame.bottom + 16, "middle", tick.label);
  }
  out += svg_line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  return out + svg_text(frame.right, frame.bottom + 32, "end", "steps");
}

// The losses of neighbouring steps differ by the luck of their examples: each point of the smooth
// curve is the mean of a fiftieth of the run.
std::vector<double> smoothed(std::span<const float> losses) {
  const std::size_t reach = losses.size() / 100;
  std::vector<double> sums = {0};
  for (const float loss : losses) sums.push_back(sums.back() + static_cast<double>(loss));
  std::vector<double> means;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const std::size_t begin = i - std::min(i, reach);
    const std::size_t end = std::min(losses.size(), i + reach + 1);
    means.push_back((sums[end] - sums[begin]) / static_cast<double>(end - begin));
  }
  return means;
}

// More points than this cannot be told apart.
constexpr std::size_t kMostPoints = 1200;

template <typename Values>
std::string line(const Values& values, const CurveFrame& frame, const char* css_class) {
  const std::size_t every = values.size() / kMostPoints + 1;
  std::string path;
  for (std::size_t i = 0; i < values.size(); i += every) {
    if (!std::isfinite(values[i])) continue;
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L",
                        coordinate(frame.x(frame.first_step + static_cast<double>(i))),
                        coordinate(frame.y(static_cast<double>(values[i]))));
  }
  return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", css_class, path);
}

std::string mark(double x, double y) {
  return fmt::format("<circle class=\"peak\" cx=\"{}\" cy=\"{}\" r=\"4\"/>\n", coordinate(x),
                     coordinate(y));
}

// From a round number at or below the least loss, or 0 where that is near, to one above the
// largest.
RangeAxis loss_axis(const LearningCurve& curve) {
  double least = INFINITY;
  double most = -INFINITY;
  const auto look_at = [&](double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  };
  for (const float loss : curve.losses) look_at(static_cast<double>(loss));
  for (const TestedStep& tested : curve.tested) look_at(tested.loss);
  if (!(least <= most)) least = most = 0;
  if (least > 0 && least < most / 2) least = 0;

  const double step = round_step(std::max({(most - least) / 5, std::abs(most) / 1000, 1e-6}));
  const double begin = std::floor(least / step + 1e-9);
  const double end = std::max(begin + 1, std::ceil(most / step - 1e-9));
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  RangeAxis axis{.bottom = begin * step, .top = end * step, .ticks = {}};
  for (double i = begin; i <= end; ++i)
    axis.ticks.push_back({i * step, short_number(i * step, decimals)});
  return axis;
}

}  // namespace

Chart loss_chart(const LearningCurve& curve, ChartWidth width) {
  POET_CHECK(!curve.losses.empty());
  const CurveFrame frame = frame_of(curve, width, loss_axis(curve));
  Chart chart;
  chart.name = frame.narrow ? "loss_narrow" : "loss";
  chart.title = "Loss over the steps";
  chart.description = fmt::format("The loss of {}: {} at first, {} at last.",
                                  counted(std::ssize(curve.losses), "step"),
                                  short_number(static_cast<double>(curve.losses.front()), 4),
                                  short_number(static_cast<double>(curve.losses.back()), 4));
  chart.width_px = chart_px(width);
  chart.body = svg_line(frame.left, 14, frame.left + 22, 14, "ram-edge") +
               svg_text(frame.left + 28, 18, "ink", "loss, smoothed");
  if (!curve.tested.empty())
    chart.body += mark(frame.left + 151, 14) +
                  svg_text(frame.left + 162, 18, "ink", frame.narrow ? "test" : "on the test data");
  chart.body += scales(frame) + line(curve.losses, frame, "axis") +
                line(smoothed(curve.losses), frame, "ram-edge");
  for (const TestedStep& tested : curve.tested)
    if (std::isfinite(tested.loss))
      chart.body += mark(frame.x(static_cast<double>(tested.step)), frame.y(tested.loss));
  chart.height_px = frame.bottom + 40;
  return chart;
}

Chart accuracy_chart(const LearningCurve& curve, ChartWidth width) {
  RangeAxis up{.bottom = 0, .top = 1, .ticks = {}};
  for (int percent = 0; percent <= 100; percent += 20)
    up.ticks.push_back({percent / 100.0, fmt::format("{} %", percent)});
  const CurveFrame frame = frame_of(curve, width, up);
  Chart chart;
  chart.name = frame.narrow ? "accuracy_narrow" : "accuracy";
  chart.title = "Accuracy on the test data";
  chart.width_px = chart_px(width);
  chart.body = svg_text(frame.left, 18, "ink", "accuracy on the test data") + scales(frame);
  std::string path;
  const TestedStep* last = nullptr;
  for (const TestedStep& tested : curve.tested) {
    if (!tested.accuracy) continue;
    last = &tested;
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L",
                        coordinate(frame.x(static_cast<double>(tested.step))),
                        coordinate(frame.y(*tested.accuracy)));
  }
  POET_CHECK(last != nullptr);
  chart.body += fmt::format("<path class=\"ram-edge\" d=\"{}\"/>\n", path);
  for (const TestedStep& tested : curve.tested)
    if (tested.accuracy)
      chart.body += mark(frame.x(static_cast<double>(tested.step)), frame.y(*tested.accuracy));
  chart.body += svg_text(frame.x(static_cast<double>(last->step)), frame.y(*last->accuracy) - 10,
                         "strong end", percent_figure(*last->accuracy));
  chart.description =
      fmt::format("Accuracy on the test data over {}, at last {}.",
                  counted(last_step(curve), "step"), percent_figure(*last->accuracy));
  chart.height_px = frame.bottom + 40;
  return chart;
}

}  // namespace poet
