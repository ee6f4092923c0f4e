#include "poet/report/training_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "poet/report/chart.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"
#include "poet/report/page_frame.h"
#include "poet/report/page_parts.h"

namespace poet {
namespace {

constexpr double kHeightPx = 240;
constexpr double kLeftPx = 64;
constexpr double kMarginPx = 24;
// More points than a line can show are thinned.
constexpr std::size_t kMostPoints = 1000;

std::string facts_section(const std::vector<TrainingFact>& facts) {
  std::string out =
      "<section><h2>Predicted and measured</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th "
      "scope=\"col\">&nbsp;</th><th scope=\"col\">predicted</th><th scope=\"col\">measured</th>"
      "<th scope=\"col\">&nbsp;</th></tr></thead>\n<tbody>\n";
  for (const TrainingFact& fact : facts)
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                       escape_markup(fact.name), escape_markup(fact.predicted),
                       escape_markup(fact.measured), escape_markup(fact.remark));
  return out + "</tbody></table></div></section>\n";
}

Chart loss_chart(const TrainingPageInput& input, ChartWidth width) {
  const std::vector<float>& losses = input.losses;
  Chart chart;
  chart.name = "loss";
  chart.title = "Loss of each step";
  chart.description = fmt::format("from {:.4g} to {:.4g}", losses.front(), losses.back());
  chart.width_px = chart_px(width);
  chart.height_px = kHeightPx;
  float most = 0;
  for (const float loss : losses)
    if (std::isfinite(loss)) most = std::max(most, loss);
  if (!(most > 0)) most = 1;
  const double right = chart.width_px - kMarginPx, bottom = kHeightPx - kMarginPx;
  const auto x = [&](std::size_t k) {
    const double last = std::max<double>(1, static_cast<double>(losses.size() - 1));
    return kLeftPx + (right - kLeftPx) * static_cast<double>(k) / last;
  };
  const auto y = [&](double loss) { return bottom - (bottom - kMarginPx) * loss / most; };
  chart.body += svg_line(kLeftPx, bottom, right, bottom, "axis");
  chart.body += svg_text(4, y(most), "tick", fmt::format("{:.3g}", most));
  chart.body += svg_text(4, bottom, "tick", "0");
  chart.body += svg_text(kLeftPx, kHeightPx - 4, "tick", fmt::format("step {}", input.first_step));
  const std::string last = fmt::format("step {}", input.first_step + std::ssize(losses) - 1);
  chart.body += svg_text(right - text_px(last), kHeightPx - 4, "tick", last);
  std::string points;
  const std::size_t stride = losses.size() / kMostPoints + 1;
  for (std::size_t k = 0; k < losses.size(); k += stride)
    if (std::isfinite(losses[k]))
      points += fmt::format("{},{} ", coordinate(x(k)), coordinate(y(losses[k])));
  chart.body += fmt::format(
      "<polyline fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" "
      "points=\"{}\"/>\n",
      points);
  return chart;
}

std::string loss_section(const TrainingPageInput& input) {
  if (input.losses.empty()) return "";
  return "<section><h2>Loss</h2>\n" +
         both_widths(loss_chart(input, ChartWidth::Wide), loss_chart(input, ChartWidth::Narrow)) +
         "</section>\n";
}

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

std::string rows_section(std::vector<TrainingRow> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const TrainingRow& a, const TrainingRow& b) {
    return a.measured_s > b.measured_s;
  });
  std::string out =
      "<section class=\"long\"><h2>Operations and transfers of a step</h2>\n<p>What takes longest "
      "comes first. Times are sums over a step: predicted by the plan's costs, measured as means "
      "over all steps but the first. What the "
      "processor worked of that is less where other programs took their share. RAM is the most "
      "that is "
      "in use meanwhile, by the replay of "
      "the "
      "plan and as the arena is laid out.</p>\n<div class=\"scroll\"><table>\n<thead><tr>";
  for (const char* const name : {"what", "work", "form", "times", "predicted", "measured", "ratio",
                                 "worked", "waited", "bytes moved", "RAM by plan", "RAM in arena"})
    out += fmt::format("<th scope=\"col\">{}</th>", name);
  out += "</tr></thead>\n<tbody>\n";
  for (const TrainingRow& row : rows) out += table_row(row);
  return out + "</tbody></table></div></section>\n";
}

}  // namespace

std::string training_page(const TrainingPageInput& input) {
  std::string page = page_head(input.title, "") + "<body>\n";
  page +=
      fmt::format("<header><p class=\"kicker\">POET training</p>\n<h1>{}</h1></header>\n<main>\n",
                  escape_markup(input.title));
  page += fmt::format("<section><h2>What the budget costs</h2>\n<p>{}</p>\n",
                      escape_markup(input.story));
  if (!input.notes.empty()) {
    page += "<ul class=\"notes\">\n";
    for (const std::string& note : input.notes) page += "<li>" + escape_markup(note) + "</li>\n";
    page += "</ul>\n";
  }
  page += "</section>\n" + facts_section(input.facts) + loss_section(input) +
          rows_section(input.rows) + command_section(input.command);
  page += "</main>\n<script>\n";
  page += copy_script();
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace poet
