#include "poet/report/measured_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

std::string ratio_text(const TrainingRow& row) {
  return row.predicted_s > 0 ? fmt::format("{:.2f}", row.measured_s / row.predicted_s) : "";
}

std::string table_row(const TrainingRow& row) {
  const auto number = [](const std::string& text) {
    return "<td class=\"number\">" + text + "</td>";
  };
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>", escape_markup(row.name),
                     escape_markup(row.work), escape_markup(row.form)) +
         number(count_figure(row.times)) + number(time_figure(row.predicted_s)) +
         number(time_figure(row.measured_s)) + number(ratio_text(row)) +
         number(row.worked_s > 0 ? time_figure(row.worked_s) : "") +
         number(row.waited_s > 0 ? time_figure(row.waited_s) : "") +
         number(row.moved_bytes > 0 ? count_figure(row.moved_bytes) : "") +
         number(count_figure(row.planned_ram_bytes)) + number(count_figure(row.arena_ram_bytes)) +
         "</tr>\n";
}

}  // namespace

PageSection measured_facts_section(const std::vector<TrainingFact>& facts) {
  std::string out =
      "<div class=\"scroll\"><table>\n<thead><tr><th "
      "scope=\"col\">&nbsp;</th><th scope=\"col\">predicted</th><th scope=\"col\">measured</th>"
      "<th scope=\"col\">&nbsp;</th></tr></thead>\n<tbody>\n";
  for (const TrainingFact& fact : facts)
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       escape_markup(fact.name), escape_markup(fact.predicted),
                       escape_markup(fact.measured), escape_markup(fact.remark));
  return {"Predicted and measured", out + "</tbody></table></div>\n"};
}

PageSection measured_work_section(std::vector<TrainingRow> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const TrainingRow& a, const TrainingRow& b) {
    return a.measured_s > b.measured_s;
  });
  std::string out =
      "<p>What takes longest "
      "comes first. Times are sums over a step: predicted by the plan's costs, measured as means "
      "over all steps but the first. What the processor worked of that is less where other "
      "programs "
      "took their share. RAM is the most that is in use meanwhile, by the replay of "
      "the plan and as the arena is laid out.</p>\n<div class=\"scroll\"><table>\n<thead><tr>";
  for (const char* const name : {"what", "work", "form", "times", "predicted", "measured", "ratio",
                                 "worked", "waited", "bytes moved", "RAM by plan", "RAM in arena"})
    out += fmt::format("<th scope=\"col\">{}</th>", name);
  out += "</tr></thead>\n<tbody>\n";
  for (const TrainingRow& row : rows) out += table_row(row);
  return {"Operations and transfers of a step", out + "</tbody></table></div>\n"};
}

}  // namespace poet
