#include "poet/report/training_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "poet/report/figure_text.h"
#include "poet/report/markup.h"
#include "poet/report/page_frame.h"
#include "poet/report/page_texts.h"

namespace poet {
namespace {

template <typename Draw>
std::string in_both_widths(Draw draw) {
  return both_widths(draw(ChartWidth::Wide), draw(ChartWidth::Narrow));
}

std::string heading(const TrainingPage& page) {
  const std::string platform =
      page.platform.empty() ? "" : " <span>on</span> " + escape_markup(page.platform);
  return fmt::format("<header><p class=\"kicker\">POET training</p>\n<h1>{}{}</h1></header>\n",
                     escape_markup(page.model), platform);
}

std::string verdict(const TrainingPage& page) {
  std::string notes;
  for (const std::string& note : page.notes) notes += "<li>" + escape_markup(note) + "</li>\n";
  if (!notes.empty()) notes = "<ul class=\"notes\">\n" + notes + "</ul>\n";
  return fmt::format("<section class=\"verdict found\"><h2>{}</h2><p>{}</p>\n{}</section>\n",
                     escape_markup(page.title), escape_markup(page.story), notes);
}

std::string card_row(const std::vector<Card>& cards) {
  if (cards.empty()) return "";
  std::string out = fmt::format("<div class=\"cards{}\">\n", cards.size() == 4 ? " four" : "");
  for (const Card& card : cards)
    out += fmt::format(
        "<div class=\"card\"><h3>{}</h3><p class=\"value\">{}</p><p class=\"more\">{}</p></div>\n",
        escape_markup(card.name), escape_markup(card.value), escape_markup(card.more));
  return out + "</div>\n";
}

std::string learning_section(const LearningCurve& curve) {
  if (curve.losses.empty()) return "";
  std::string out =
      "<section><h2>How the training went</h2>\n<p>The loss of every step, and what the network "
      "made of "
      "examples that it was not trained on.</p>\n" +
      in_both_widths([&](ChartWidth width) { return loss_chart(curve, width); });
  const bool has_accuracy =
      std::any_of(curve.tested.begin(), curve.tested.end(),
                  [](const TestedStep& tested) { return tested.accuracy.has_value(); });
  if (has_accuracy)
    out += in_both_widths([&](ChartWidth width) { return accuracy_chart(curve, width); });
  return out + "</section>\n";
}

std::string arena_section(const std::vector<ArenaPicture>& arenas) {
  std::string out;
  for (const ArenaPicture& arena : arenas) {
    if (arena.actions == 0) continue;
    if (arenas.size() > 1) out += fmt::format("<h3>{}</h3>\n", escape_markup(arena.name));
    out += in_both_widths([&](ChartWidth width) { return arena_chart(arena, width); });
  }
  if (out.empty()) return "";
  return "<section><h2>What lies where in the arena</h2>\n<p>The one piece of memory that steps "
         "work in: addresses upwards, the actions of a step to the right.</p>\n" +
         out + "</section>\n";
}

std::string other_sections(const std::vector<PageSection>& sections) {
  std::string out;
  for (const PageSection& section : sections)
    out += fmt::format("<section class=\"long\"><h2>{}</h2>\n{}</section>\n",
                       escape_markup(section.title), section.html);
  return out;
}

std::string facts_section(const std::vector<Fact>& facts) {
  if (facts.empty()) return "";
  std::string out = "<section class=\"long\"><h2>In figures</h2>\n<dl class=\"facts\">\n";
  for (const Fact& fact : facts)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_markup(fact.name),
                       escape_markup(fact.value));
  return out + "</dl>\n</section>\n";
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

}  // namespace

std::string training_page(const TrainingPage& page) {
  std::string out = page_head(page.model + ": " + page.title, "");
  out += "<body>\n" + heading(page) + "<main>\n" + verdict(page) + card_row(page.cards);
  out += learning_section(page.curve) + arena_section(page.arenas);
  out += other_sections(page.sections);
  out += command_section(page.command) + facts_section(page.facts);
  out += "</main>\n<script>\n";
  out += copy_js();
  return out + "</script>\n</body>\n</html>\n";
}

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
