#include "poet/report/training_page.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace poet
