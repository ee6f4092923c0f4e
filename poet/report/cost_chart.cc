#include "poet/report/cost_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/base/check.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

constexpr std::size_t kMostBars = 30;
constexpr double kRow = 20;

struct Frame {
  bool narrow = false;
  double bars_left = 0, bars_right = 0;  // between names and figures
};

Frame frame_of(ChartWidth width) {
  if (width == ChartWidth::Narrow) return {true, 132, 250};
  return {false, 400, 790};
}

// The end of a long name says more than its beginning.
std::string shortened(const std::string& name, double room_px) {
  std::size_t from = 0;
  while (from < name.size() && text_px(name.substr(from)) > room_px - 12) ++from;
  while (from > 0 && from < name.size() && (static_cast<unsigned char>(name[from]) & 0xC0) == 0x80)
    ++from;
  return from == 0 ? name : "…" + name.substr(from);
}

std::string row(const CostBar& bar, double most_s, double all_s, const Frame& frame, double y) {
  const double part = most_s > 0 ? bar.seconds / most_s : 0;
  const double length = std::max(1.5, (frame.bars_right - frame.bars_left) * part);
  const std::string times = bar.count > 1 ? fmt::format(", {} times", bar.count) : "";
  const std::string name =
      (frame.narrow ? bar.name : fmt::format("{} ({})", bar.name, bar.kind)) + times;
  const std::string figure = fmt::format("{} ({})", time_figure(bar.seconds),
                                         percent_figure(all_s > 0 ? bar.seconds / all_s : 0));
  return svg_text(frame.bars_left - 8, y + 14, "ink end", shortened(name, frame.bars_left - 12)) +
         svg_rect(frame.bars_left, y + 3, length, kRow - 6,
                  bar.backward ? "recompute" : "compute") +
         svg_text(frame.bars_left + length + 6, y + 14, "", figure);
}

std::string legend(const Frame& frame, double y) {
  return svg_rect(frame.bars_left, y - 10, 14, 12, "compute") +
         svg_text(frame.bars_left + 20, y, "", "forward") +
         svg_rect(frame.bars_left + 82, y - 10, 14, 12, "recompute") +
         svg_text(frame.bars_left + 102, y, "", "backward");
}

}  // namespace

Chart cost_chart(std::vector<CostBar> bars, const std::string& source, ChartWidth width) {
  POET_CHECK(!bars.empty());
  std::stable_sort(bars.begin(), bars.end(),
                   [](const CostBar& a, const CostBar& b) { return a.seconds > b.seconds; });
  double all_s = 0;
  std::int64_t count = 0;
  for (const CostBar& bar : bars) {
    all_s += bar.seconds;
    count += bar.count;
  }
  const Frame frame = frame_of(width);
  const std::size_t shown = std::min(bars.size(), kMostBars);

  Chart chart;
  chart.name = frame.narrow ? "costs_narrow" : "costs";
  chart.title = "What the operations take";
  chart.description =
      fmt::format("{} take {} in all; the most of it, {}, is for {}{}.",
                  counted(count, "operation"), time_figure(all_s), time_figure(bars[0].seconds),
                  bars[0].name, bars[0].count > 1 ? " and those like it" : "");
  chart.width_px = chart_px(width);
  chart.body = svg_text(4, 16, "strong", fmt::format("{} in all: {}", time_figure(all_s), source));
  chart.body += legend(frame, 36);
  double y = 46;
  double shown_s = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    chart.body += row(bars[i], bars[0].seconds, all_s, frame, y);
    shown_s += bars[i].seconds;
    count -= bars[i].count;
    y += kRow;
  }
  if (shown < bars.size()) {
    chart.body +=
        svg_text(frame.bars_left, y + 14, "",
                 fmt::format("{} others: {}", count, time_figure(std::max(0.0, all_s - shown_s))));
    y += kRow;
  }
  chart.height_px = y + 6;
  return chart;
}

}  // namespace poet
