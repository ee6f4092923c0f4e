// The page of worth_text.h.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"
#include "poet/report/page_frame.h"
#include "poet/report/training_page.h"
#include "poet/report/worth_chart.h"
#include "poet/tell/worth_text.h"

namespace poet {
namespace {

// What of a row an axis is of; nothing where the row has no such figure.
using Taken = std::optional<double> (*)(const WorthRow& row);

std::optional<double> least_ram(const WorthRow& row) {
  if (!row.least_bytes) return std::nullopt;
  return static_cast<double>(*row.least_bytes);
}

std::optional<double> energy(const WorthRow& row) {
  return row.energy_j;
}

std::optional<WorthPoint> point_of(const WorthReport& report, const WorthRow& row, Taken taken) {
  const std::optional<double> takes = taken(row);
  if (!takes) return std::nullopt;
  return WorthPoint{.train = row.choice.train,
                    .takes = *takes,
                    .gain_ratio = row.choice.gain / gain_of_all(report),
                    .fits = row.fits};
}

const std::vector<std::string>& all_ways() {
  static const std::vector<std::string> ways = {std::string(kLastLayers), std::string(kBiasAndLast),
                                                std::string(kNorms), std::string(kLayersByGain),
                                                std::string(kGreedyLayers)};
  return ways;
}

// Rows begin with the largest gain, and curves with the smallest.
std::vector<WorthCurve> curves_of(const WorthReport& report, Taken taken) {
  std::vector<WorthCurve> curves;
  for (const std::string& way : all_ways()) {
    WorthCurve curve{.way = way, .points = {}};
    for (auto row = report.rows.rbegin(); row != report.rows.rend(); ++row) {
      const auto& ways = row->choice.ways;
      if (std::find(ways.begin(), ways.end(), way) == ways.end()) continue;
      if (const std::optional<WorthPoint> point = point_of(report, *row, taken))
        curve.points.push_back(*point);
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

PageSection chart_section(const WorthReport& report, WorthChartInput input, Taken taken,
                          const std::string& sentence) {
  input.ways = all_ways();
  input.curves = curves_of(report, taken);
  if (report.best) input.best = point_of(report, report.rows[*report.best], taken);
  return {input.title, fmt::format("<p>{}</p>\n", escape_markup(sentence)) +
                           both_widths(worth_chart(input, ChartWidth::Wide),
                                       worth_chart(input, ChartWidth::Narrow))};
}

std::string number_cell(const std::string& text) {
  return "<td class=\"number\">" + escape_markup(text) + "</td>";
}

PageSection table_section(const WorthReport& report) {
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const char* const name :
       {"trained", "values", "gain", "of all", "least RAM", "energy", "time", "within the limits"})
    out += fmt::format("<th scope=\"col\">{}</th>", name);
  out += "</tr></thead>\n<tbody>\n";
  const double all = gain_of_all(report);
  for (const WorthRow& row : report.rows)
    out += fmt::format("<tr><th scope=\"row\">{}</th>", escape_markup(row.choice.train)) +
           number_cell(count_figure(row.choice.values)) +
           number_cell(short_number(row.choice.gain, 6)) +
           number_cell(all > 0 ? percent_figure(row.choice.gain / all) : "") +
           number_cell(row.least_bytes ? bytes_text(*row.least_bytes) : "") +
           number_cell(row.energy_j ? energy_figure(*row.energy_j) : "") +
           number_cell(row.time_s ? time_figure(*row.time_s) : "") +
           fmt::format("<td>{}</td></tr>\n", row.fits ? "yes" : escape_markup(row.why_not));
  return {"All choices that were looked at", out + "</tbody></table></div>\n"};
}

std::string story_of(const WorthReport& report) {
  std::string text = fmt::format("What training a part is worth: {}.", report.gains.source);
  if (!report.best) return text;
  return text + fmt::format(
                    " Of the choices that were looked at, --train {} is worth most of "
                    "those that fit.",
                    report.rows[*report.best].choice.train);
}

}  // namespace

std::string worth_page(const WorthReport& report) {
  const PlanOrigin& origin = report.question.origin;
  TrainingPage page{
      .model = origin.model,
      .platform = origin.platform,
      .command = origin.command,
      .title = fmt::format("What is worth training in {}", size_figure(report.ram_budget_bytes)),
      .story = story_of(report),
      .notes = report.warnings};
  if (gain_of_all(report) > 0) {
    page.sections.push_back(chart_section(
        report,
        {.name = "gain_by_energy",
         .title = "Gain against energy",
         .takes = "energy of a step within the RAM budget",
         .quantity = Quantity::Joules,
         .limit = report.energy_budget_j},
        energy, "Plans of the least energy within the RAM budget. Small marks do not fit."));
    page.sections.push_back(chart_section(
        report,
        {.name = "gain_by_ram",
         .title = "Gain against the least RAM",
         .takes = "least RAM that a schedule was found for",
         .quantity = Quantity::Bytes,
         .limit = static_cast<double>(report.ram_budget_bytes)},
        least_ram, "With how little RAM each choice can be trained at all, whatever that costs."));
  }
  page.sections.push_back(table_section(report));
  page.facts = {{"gains", report.gains.source},
                {"RAM budget", bytes_text(report.ram_budget_bytes)},
                {"values that can be trained", count_figure(report.trainable_values)}};
  return training_page(page);
}

}  // namespace poet
