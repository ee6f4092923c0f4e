#include "poet/report/method_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

constexpr double kRow = 26, kBarHeight = 16, kTop = 46, kLeft = 190, kRight = 860;

// Where bars are cut: so that the best and the bound can still be told apart.
double longest_shown(const MethodChartInput& input) {
  std::vector<double> ratios;
  for (const MethodBar& bar : input.bars)
    if (bar.overhead_ratio) ratios.push_back(*bar.overhead_ratio);
  if (ratios.empty()) return 1;
  std::sort(ratios.begin(), ratios.end());
  const double least = std::max(ratios.front(), input.bound_ratio.value_or(0));
  const double most = ratios.back();
  // Beyond forty times the best, the best is no more than a line.
  const double shown = least > 0 ? std::min(most, 40 * least) : most;
  return shown > 0 ? shown : 1;
}

// `reason_x`: where reasons begin, right of the line of the bound.
std::string draw_bar(const MethodBar& bar, double y, double longest, double reason_x) {
  std::string out = svg_text(kLeft - 10, y + 13, "end ink", bar.method);
  if (!bar.overhead_ratio) return out + svg_text(reason_x, y + 13, "", bar.why_not);
  const bool cut = *bar.overhead_ratio > longest * (1 + 1e-9);
  const double shown = std::clamp(*bar.overhead_ratio / longest, 0.0, 1.0);
  const double width = std::max(1.5, (kRight - kLeft) * shown);
  out += svg_rect(kLeft, y, width, kBarHeight, bar.method == "poet" ? "recompute" : "compute");
  if (cut)
    out += fmt::format("<path class=\"gap\" d=\"M{} {}l8 {}h6l-8 -{}z\"/>\n",
                       coordinate(kLeft + width - 40), coordinate(y), coordinate(kBarHeight),
                       coordinate(kBarHeight));
  return out + svg_text(kLeft + width + 6, y + 13, "",
                        percent_figure(*bar.overhead_ratio) + (cut ? ", cut" : ""));
}

std::string description_of(const MethodChartInput& input) {
  std::string text;
  for (const MethodBar& bar : input.bars)
    text += fmt::format("{}: {}. ", bar.method,
                        bar.overhead_ratio ? percent_figure(*bar.overhead_ratio) : bar.why_not);
  if (input.bound_ratio)
    text += fmt::format("No schedule of the class has less than {} ({}).",
                        percent_figure(*input.bound_ratio), input.bound_words);
  return text;
}

}  // namespace

Chart method_chart(const MethodChartInput& input) {
  Chart chart;
  chart.name = "methods";
  chart.title = input.title;
  chart.description = description_of(input);
  chart.width_px = chart_px(ChartWidth::Wide);
  const double longest = longest_shown(input);
  const double bottom = kTop + kRow * static_cast<double>(input.bars.size());
  chart.body = svg_text(4, 16, "strong", input.title);
  chart.body += svg_text(4, 34, "",
                         fmt::format("{} beyond what no schedule can save, as a part of that; "
                                     "shorter is better",
                                     input.quantity));
  std::optional<double> bound_x;
  if (input.bound_ratio && *input.bound_ratio <= longest)
    bound_x = kLeft + (kRight - kLeft) * *input.bound_ratio / longest;
  double y = kTop + 4;
  for (const MethodBar& bar : input.bars) {
    chart.body += draw_bar(bar, y, longest, bound_x.value_or(kLeft) + 6);
    y += kRow;
  }
  if (bound_x) {
    chart.body += svg_line(*bound_x, kTop - 2, *bound_x, bottom + 4, "floor");
    chart.body += svg_text(*bound_x + 5, bottom + 14, "",
                           "bound: no less than " + percent_figure(*input.bound_ratio));
  }
  chart.height_px = bottom + 24;
  return chart;
}

}  // namespace poet
