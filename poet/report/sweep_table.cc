#include "poet/report/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "poet/report/curve_look.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"
#include "poet/report/sweep_text.h"

namespace poet {
namespace {

std::string row_begin(const std::vector<std::string>& methods, const std::string& method) {
  return fmt::format("<tr data-method=\"{}\"{}>", curve_look(methods, method).place,
                     method == "poet" ? " class=\"own\"" : "");
}

std::string number_cell(const std::string& text) {
  return "<td class=\"number\">" + text + "</td>";
}

const CurvePoint* least_point(const Curve& curve) {
  for (const CurvePoint& point : curve.points)
    if (curve.least_budget_bytes && point.ram_budget_bytes == *curve.least_budget_bytes)
      return &point;
  return nullptr;
}

// By the smallest budget; POET before others with the same one.
std::vector<const Curve*> by_least_budget(const SweepFigure& figure) {
  std::vector<const Curve*> curves;
  for (const Curve& curve : figure.curves) curves.push_back(&curve);
  const auto budget = [](const Curve* curve) {
    return curve->least_budget_bytes.value_or(std::numeric_limits<std::int64_t>::max());
  };
  std::stable_sort(curves.begin(), curves.end(), [&](const Curve* a, const Curve* b) {
    if (budget(a) != budget(b)) return budget(a) < budget(b);
    return a->method == "poet" && b->method != "poet";
  });
  return curves;
}

std::string objective_cell(const SweepFigure& figure, const CurvePoint& point) {
  const SweepValue objective = objective_of(figure);
  const std::optional<double> value = value_of(point, objective);
  if (!value) return number_cell("");
  const std::optional<double> ratio = overhead_ratio(figure, point);
  return number_cell(value_figure(*value, objective) +
                     (ratio ? " (+" + percent_figure(*ratio) + ")" : ""));
}

std::string least_budget_row(const SweepFigure& figure, const std::vector<std::string>& methods,
                             const Curve& curve) {
  std::string row = row_begin(methods, curve.method) + "<th scope=\"row\">" +
                    method_name(methods, curve.method) + "</th>";
  const CurvePoint* point = least_point(curve);
  if (!point) {
    const std::string why = curve.points.empty() || curve.points.back().reason.empty()
                                ? ""
                                : "; at the largest: " + curve.points.back().reason;
    row += "<td colspan=\"3\">fits at none of these budgets" + escape_markup(why) + "</td>";
  } else {
    row += number_cell(size_figure(point->ram_budget_bytes));
    row += number_cell(figure.plain_peak_bytes > 0
                           ? percent_figure(static_cast<double>(point->ram_budget_bytes) /
                                            static_cast<double>(figure.plain_peak_bytes))
                           : "");
    row += objective_cell(figure, *point);
  }
  return row + "<td>" + escape_markup(curve.what) + "</td></tr>\n";
}

std::string exact_cell(const std::optional<double>& value) {
  return number_cell(value ? fmt::format("{:#.7g}", *value) : "");
}

std::string point_row(const SweepFigure& figure, const std::vector<std::string>& methods,
                      const Curve& curve, const CurvePoint& point) {
  const std::optional<double> ratio = overhead_ratio(figure, point);
  const bool has_schedule = point.energy_j || point.time_s;
  const auto count = [&](std::int64_t number) {
    return number_cell(has_schedule ? count_figure(number) : "");
  };
  return row_begin(methods, curve.method) + number_cell(count_figure(point.ram_budget_bytes)) +
         "<th scope=\"row\">" + escape_markup(curve.method) + "</th><td>" +
         escape_markup(point.reason.empty() ? point.verdict : point.verdict + ": " + point.reason) +
         "</td>" + exact_cell(point.energy_j) + exact_cell(point.time_s) +
         number_cell(ratio ? fmt::format("{:.4f}", 100 * *ratio) : "") +
         count(point.peak_ram_bytes) + count(point.recomputed_operations) +
         count(point.paged_tensors) + "</tr>\n";
}

// Rows of one budget stand together.
std::vector<std::int64_t> budgets_of(const SweepFigure& figure) {
  std::vector<std::int64_t> budgets;
  for (const Curve& curve : figure.curves)
    for (const CurvePoint& point : curve.points) budgets.push_back(point.ram_budget_bytes);
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

std::string table_begin(const char* css_class, const char* label, const std::string& columns) {
  return fmt::format(
      "<div class=\"{}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>"
      "<thead><tr>{}</tr></thead>\n<tbody>\n",
      css_class, label, columns);
}

}  // namespace

std::string method_name(const std::vector<std::string>& methods, const std::string& method) {
  const CurveLook look = curve_look(methods, method);
  return fmt::format(
      "<span class=\"method\"><svg class=\"chart sample\" viewBox=\"0 0 32 14\" "
      "aria-hidden=\"true\"><g {}>\n{}</g></svg><span>{}</span></span>",
      look_attributes(look), look_sample(look, 0, 7), escape_markup(method));
}

std::string least_budget_table(const SweepFigure& figure, const std::vector<std::string>& methods) {
  if (figure.curves.empty()) return "";
  const std::string objective = figure.least_time ? "Time there" : "Energy there";
  std::string out =
      table_begin("scroll whole", "The smallest budget at which each method fits",
                  "<th scope=\"col\">Method</th><th scope=\"col\" class=\"number\">Fits from</th>"
                  "<th scope=\"col\" class=\"number\">of the plain peak</th>"
                  "<th scope=\"col\" class=\"number\">" +
                      objective + "</th><th scope=\"col\">What it is</th>");
  for (const Curve* curve : by_least_budget(figure))
    out += least_budget_row(figure, methods, *curve);
  return out + "</tbody></table></div>\n";
}

std::string point_table(const SweepFigure& figure, const std::vector<std::string>& methods) {
  const std::vector<std::int64_t> budgets = budgets_of(figure);
  if (budgets.empty()) return "";
  std::string out = table_begin(
      "scroll", "All numbers",
      "<th scope=\"col\" class=\"number\">RAM budget (B)</th><th scope=\"col\">Method</th>"
      "<th scope=\"col\">Outcome</th><th scope=\"col\" class=\"number\">Energy (J)</th>"
      "<th scope=\"col\" class=\"number\">Time (s)</th>"
      "<th scope=\"col\" class=\"number\">Overhead (%)</th>"
      "<th scope=\"col\" class=\"number\">Peak RAM (B)</th>"
      "<th scope=\"col\" class=\"number\">Recomputed</th>"
      "<th scope=\"col\" class=\"number\">Paged</th>");
  for (const std::int64_t budget : budgets)
    for (const Curve& curve : figure.curves)
      for (const CurvePoint& point : curve.points)
        if (point.ram_budget_bytes == budget) out += point_row(figure, methods, curve, point);
  return out + "</tbody></table></div>\n";
}

}  // namespace poet
