#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "poet/report/curve_look.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"
#include "poet/report/page_frame.h"
#include "poet/report/page_texts.h"
#include "poet/report/sweep_chart.h"
#include "poet/report/sweep_figure.h"

namespace poet {
namespace {

// Tables of one figure, as HTML. `methods` gives each method its look, as in the charts.

// A method's name with a sample of its line.
std::string method_name(const std::vector<std::string>& methods, const std::string& method) {
  const CurveLook look = curve_look(methods, method);
  return fmt::format(
      "<span class=\"method\"><svg class=\"chart sample\" viewBox=\"0 0 32 14\" "
      "aria-hidden=\"true\"><g {}>\n{}</g></svg><span>{}</span></span>",
      look_attributes(look), look_sample(look, 0, 7), escape_markup(method));
}

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

// The smallest budget of the sweep at which each method fits, smallest first; then those that fit
// nowhere.
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

// Every point, with exact figures.
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

// Every method of every figure once, so that a method looks the same all over the page.
std::vector<std::string> methods_of(const std::vector<SweepFigure>& figures) {
  std::vector<std::string> methods;
  for (const SweepFigure& figure : figures)
    for (const Curve& curve : figure.curves)
      if (std::find(methods.begin(), methods.end(), curve.method) == methods.end())
        methods.push_back(curve.method);
  return methods;
}

std::string figure_name(const std::vector<SweepFigure>& figures, std::size_t i) {
  return figures[i].title.empty() ? fmt::format("figure {}", i + 1) : figures[i].title;
}

std::string section_title(const std::vector<SweepFigure>& figures, std::size_t i) {
  return figures.size() == 1 ? "What each RAM budget costs" : figure_name(figures, i);
}

std::string page_title(const std::vector<SweepFigure>& figures) {
  if (figures.size() == 1) return figure_name(figures, 0);
  return fmt::format("What RAM budgets cost: {}", counted(std::ssize(figures), "figure"));
}

std::string contents(const std::vector<SweepFigure>& figures) {
  if (figures.size() < 2) return "";
  std::string out = "<nav aria-label=\"Figures\"><ul class=\"contents\">\n";
  for (std::size_t i = 0; i < figures.size(); ++i)
    out += fmt::format("<li><a href=\"#figure-{}\">{}</a></li>\n", i + 1,
                       escape_markup(figure_name(figures, i)));
  return out + "</ul></nav>\n";
}

// A figure that no line break parts from its unit.
std::string unbroken(const std::string& figure) {
  std::string out;
  for (const char c : figure)
    if (c == ' ')
      out += "\u00A0";
    else
      out += c;
  return out;
}

// Who fits where in a sentence or two.
std::string summary(const SweepFigure& figure) {
  std::string text;
  for (const Curve& curve : figure.curves)
    if (curve.method == "poet")
      text += curve.least_budget_bytes
                  ? fmt::format("POET fits from {} on. ",
                                unbroken(size_figure(*curve.least_budget_bytes)))
                  : "POET fits at none of these budgets. ";
  text += fmt::format("The largest working set is {}, the plain peak {}",
                      unbroken(size_figure(figure.largest_working_set_bytes)),
                      unbroken(size_figure(figure.plain_peak_bytes)));
  if (figure.deadline_s) text += ", the deadline " + unbroken(time_figure(*figure.deadline_s));
  return text +
         ". Each mark is a schedule that keeps every limit; the lines between marks only guide the "
         "eye.";
}

std::string legend(const SweepFigure& figure, const std::vector<std::string>& methods) {
  if (figure.curves.empty()) return "";
  std::string out = "<fieldset class=\"methods\"><legend>Methods</legend>\n";
  for (const Curve& curve : figure.curves) {
    const auto place = std::find(methods.begin(), methods.end(), curve.method) - methods.begin();
    out += fmt::format(
        "<label title=\"{}\"><input type=\"checkbox\" data-method=\"{}\" checked>{}</label>\n",
        escape_markup(curve.what), place, method_name(methods, curve.method));
  }
  return out +
         "<button type=\"button\" data-show=\"all\">show all</button>"
         "<button type=\"button\" data-show=\"none\">hide all</button></fieldset>\n";
}

std::string charts(const SweepFigure& figure, const std::vector<std::string>& methods,
                   std::size_t number) {
  std::string out = "<div class=\"plots\">\n";
  for (const SweepValue value : {SweepValue::Energy, SweepValue::Time}) {
    if (!has_values(figure, value)) continue;
    const auto chart = [&](ChartWidth width) {
      Chart one = sweep_chart(figure, {value, width, methods, ""});
      one.name = fmt::format("figure-{}-{}", number, one.name);
      return one;
    };
    out += both_widths(chart(ChartWidth::Wide), chart(ChartWidth::Narrow));
  }
  return out + "</div>\n";
}

std::string figure_section(const std::vector<SweepFigure>& figures, std::size_t i,
                           const std::vector<std::string>& methods) {
  const SweepFigure& figure = figures[i];
  std::string out = fmt::format("<section class=\"long\" id=\"figure-{}\"><h2>{}</h2>\n<p>{}</p>\n",
                                i + 1, escape_markup(section_title(figures, i)), summary(figure));
  out += legend(figure, methods) + charts(figure, methods, i + 1);
  const std::string least = least_budget_table(figure, methods);
  if (!least.empty()) out += "<h3>The smallest budget at which each method fits</h3>\n" + least;
  const std::string points = point_table(figure, methods);
  if (!points.empty()) out += "<h3>All numbers</h3>\n" + points;
  return out + "</section>\n";
}

std::string method_list(const std::vector<std::string>& methods) {
  std::string out;
  for (const std::string& method : methods) out += (out.empty() ? "" : ",") + script_string(method);
  return "[" + out + "]";
}

}  // namespace

std::string sweep_page(const std::vector<SweepFigure>& figures, const std::string& command) {
  const std::vector<std::string> methods = methods_of(figures);
  const std::string title = page_title(figures);
  std::string page = page_head(title, sweep_css()) + "<body>\n";
  page += fmt::format("<header><p class=\"kicker\">POET sweep</p>\n<h1>{}</h1></header>\n<main>\n",
                      escape_markup(title));
  page += command_section(command) + contents(figures);
  for (std::size_t i = 0; i < figures.size(); ++i) page += figure_section(figures, i, methods);
  page += "<section class=\"long\"><h2>Words</h2>\n";
  page += sweep_words_html();
  page +=
      "</section>\n</main>\n<footer><p>Every figure of a schedule comes from replaying it action "
      "by "
      "action against the rules, not from the method that made it.</p></footer>\n"
      "<div id=\"tip\" role=\"status\" hidden></div>\n";
  page += "<script type=\"application/json\" id=\"poet-methods\">" + method_list(methods) +
          "</script>\n<script>\n";
  page += sweep_js();
  page += copy_js();
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace poet
