#include "poet/report/sweep_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/report/figure_text.h"

namespace poet {
namespace {

std::string overhead_clause(const SweepFigure& figure, const CurvePoint& point, SweepValue value) {
  if (value != objective_of(figure)) return "";
  const std::optional<double> ratio = overhead_ratio(figure, point);
  return ratio ? fmt::format(", {} above the unavoidable", percent_figure(*ratio)) : "";
}

}  // namespace

std::optional<double> value_of(const CurvePoint& point, SweepValue value) {
  return value == SweepValue::Energy ? point.energy_j : point.time_s;
}

std::string value_figure(double amount, SweepValue value) {
  return value == SweepValue::Energy ? energy_figure(amount) : time_figure(amount);
}

SweepValue objective_of(const SweepFigure& figure) {
  return figure.least_time ? SweepValue::Time : SweepValue::Energy;
}

std::optional<double> overhead_ratio(const SweepFigure& figure, const CurvePoint& point) {
  const std::optional<double> value = value_of(point, objective_of(figure));
  if (!value || !(figure.unavoidable > 0)) return std::nullopt;
  return std::max(0.0, *value / figure.unavoidable - 1);
}

std::vector<std::string> point_lines(const SweepFigure& figure, const Curve& curve,
                                     const CurvePoint& point) {
  std::vector<std::string> lines = {
      curve.method,
      fmt::format("RAM budget {} ({} B)", size_figure(point.ram_budget_bytes),
                  count_figure(point.ram_budget_bytes)),
      point.reason.empty() ? point.verdict : point.verdict + ": " + point.reason};
  if (!point.energy_j && !point.time_s) return lines;
  for (const SweepValue value : {SweepValue::Energy, SweepValue::Time})
    if (const std::optional<double> amount = value_of(point, value))
      lines.push_back((value == SweepValue::Energy ? "energy " : "time ") +
                      value_figure(*amount, value) + overhead_clause(figure, point, value));
  lines.push_back("peak RAM " + size_figure(point.peak_ram_bytes));
  lines.push_back(fmt::format("{} recomputed, {} paged",
                              counted(point.recomputed_operations, "operation"),
                              counted(point.paged_tensors, "tensor")));
  return lines;
}

bool has_values(const SweepFigure& figure, SweepValue value) {
  if (value == objective_of(figure)) return true;
  for (const Curve& curve : figure.curves)
    for (const CurvePoint& point : curve.points)
      if (point.fits && value_of(point, value).value_or(0) > 0) return true;
  return false;
}

std::string fitted_text(std::string_view text, double most_px) {
  if (text_px(text) <= most_px) return std::string(text);
  std::size_t end = text.size();
  while (end > 0 && text_px(text.substr(0, end)) + text_px("…") > most_px) {
    --end;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::vector<std::string> wrapped_text(std::string_view text, double most_px) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (lines.empty() || text_px(lines.back()) + text_px(" ") + text_px(word) > most_px)
      lines.emplace_back(word);
    else
      lines.back() += " " + std::string(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return lines;
}

}  // namespace poet
