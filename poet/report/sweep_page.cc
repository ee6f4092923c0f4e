#include <fmt/format.h>

#include <algorithm>

#include "poet/report/figure_text.h"
#include "poet/report/markup.h"
#include "poet/report/page_frame.h"
#include "poet/report/page_texts.h"
#include "poet/report/sweep_chart.h"
#include "poet/report/sweep_figure.h"
#include "poet/report/sweep_table.h"

namespace poet {
namespace {

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
