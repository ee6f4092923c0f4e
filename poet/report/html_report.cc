#include "poet/report/html_report.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/report/energy_chart.h"
#include "poet/report/extra_table.h"
#include "poet/report/facts_list.h"
#include "poet/report/markup.h"
#include "poet/report/matrix_chart.h"
#include "poet/report/page_frame.h"
#include "poet/report/page_texts.h"
#include "poet/report/ram_chart.h"
#include "poet/report/stage_matrix.h"
#include "poet/report/timed_actions.h"
#include "poet/report/verdict.h"

namespace poet {
namespace {

// "[a,b,c]" of the texts that `write` gives for the items.
template <typename T, typename Write>
std::string list_of(const std::vector<T>& items, Write write) {
  std::string out = "[";
  for (const T& item : items) {
    if (out.size() > 1) out += ",";
    out += write(item);
  }
  return out + "]";
}

std::string action_text(const TimedAction& action) {
  return fmt::format("[{},{},{},{},{:.6g},{:.6g},{}]", static_cast<int>(action.kind), action.index,
                     action.stage, action.moment.ram_bytes, action.moment.begin_s,
                     action.moment.end_s, action.action);
}

std::string run_text(const PlaceRun& run) {
  return fmt::format("[{},{},{},{}]", run.column, run.begin_stage, run.end_stage,
                     static_cast<int>(run.place));
}

std::string mark_text(const StageMark& mark) {
  return fmt::format("[{},{},{}]", mark.column, mark.stage, static_cast<int>(mark.kind));
}

// Working sets are only shown when there is no schedule.
std::string working_sets(const Problem& problem, bool wanted) {
  std::string out = "[";
  for (std::int32_t v = 0; wanted && v < std::ssize(problem.operations); ++v)
    out += fmt::format("{}{}", v > 0 ? "," : "", working_set_bytes(problem, OperationId{v}));
  return out + "]";
}

// What the page's script needs to say what is under the pointer, as JSON that is safe inside a
// <script> element: names and sizes, [kind, index, stage, bytes, begin, end] per action, [column,
// begin, end, place] per run. Kinds and places are the numbers of their enumerators.
std::string page_data(const Problem& problem, const std::vector<TimedAction>& actions,
                      const StageMatrix& matrix) {
  std::string out = "{\"operations\":";
  out += list_of(problem.operations, [](const Operation& one) { return script_string(one.name); });
  out += ",\n\"tensors\":" + list_of(problem.tensors, [](const Tensor& one) {
           return fmt::format("[{},{}]", script_string(one.name), one.size_bytes);
         });
  out += ",\n\"columns\":" +
         list_of(matrix.columns, [](TensorId one) { return fmt::format("{}", index_of(one)); });
  out += fmt::format(",\n\"stages\":{}", matrix.stages);
  out += ",\n\"actions\":" + list_of(actions, action_text);
  out += ",\n\"runs\":" + list_of(matrix.runs, run_text);
  out += ",\n\"marks\":" + list_of(matrix.marks, mark_text);
  return out + ",\n\"working_sets\":" + working_sets(problem, actions.empty()) + "}";
}

// What several sections are made from.
struct Story {
  std::vector<TimedAction> actions;
  StageMatrix matrix;
};

Story story_of(const ReportInput& input) {
  Story story;
  if (!input.schedule) return story;
  story.actions = timed_actions(input.problem, *input.schedule, input.replay);
  story.matrix = stage_matrix(input.problem, *input.schedule, story.actions);
  return story;
}

const char* verdict_class(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::Best:
      return "best";
    case Verdict::Kind::Found:
      return "found";
    case Verdict::Kind::Beyond:
      return "beyond";
    case Verdict::Kind::No:
      return "no";
    case Verdict::Kind::Unknown:
      return "unknown";
    case Verdict::Kind::Broken:
      return "broken";
  }
  return "";
}

// Findings, then what the user should know. Long lists of findings say the same again and again.
std::string notes_list(const ReportInput& input) {
  constexpr std::size_t kMostFindings = 20;
  std::string items;
  if (input.schedule)
    for (std::size_t i = 0; i < input.replay.findings.size() && i < kMostFindings; ++i)
      items += "<li>" + escape_markup(input.replay.findings[i].message) + "</li>\n";
  for (const std::string& warning : input.warnings)
    items += "<li>" + escape_markup(warning) + "</li>\n";
  for (const std::string& note : input.solve.notes)
    items += "<li>" + escape_markup(note) + "</li>\n";
  return items.empty() ? "" : "<ul class=\"notes\">\n" + items + "</ul>\n";
}

std::string verdict_section(const ReportInput& input) {
  const Verdict verdict = verdict_of(input);
  return fmt::format("<section class=\"verdict {}\"><h2>{}</h2><p>{}</p>\n{}</section>\n",
                     verdict_class(verdict.kind), escape_markup(verdict.title),
                     escape_markup(verdict.sentence), notes_list(input));
}

std::string cards(const ReportInput& input) {
  const std::vector<Card> all = cards_of(input);
  std::string out = fmt::format("<div class=\"cards{}\">\n", all.size() == 4 ? " four" : "");
  for (const Card& card : all)
    out += fmt::format(
        "<div class=\"card\"><h3>{}</h3><p class=\"value\">{}</p><p class=\"more\">{}</p></div>\n",
        escape_markup(card.name), escape_markup(card.value), escape_markup(card.more));
  return out + "</div>\n";
}

template <typename Draw>
std::string in_both_widths(Draw draw) {
  return both_widths(draw(ChartWidth::Wide), draw(ChartWidth::Narrow));
}

std::string ram_pictures(const ReportInput& input, const Story& story, RamAxis axis) {
  return in_both_widths(
      [&](ChartWidth width) { return ram_chart(input.problem, story.actions, axis, width); });
}

// Two tabs that need no script.
std::string ram_section(const ReportInput& input, const Story& story) {
  std::string out =
      "<section><h2>RAM over the step</h2>\n<p>RAM in use while each action runs, and when "
      "something is recomputed, read or written.</p>\n";
  const std::string by_action = ram_pictures(input, story, RamAxis::Actions);
  if (!(input.replay.time_s > 0)) return out + by_action + "</section>\n";
  out +=
      "<input class=\"choice\" type=\"radio\" name=\"ram-axis\" id=\"by-action\" checked>"
      "<label class=\"tab tab-action\" for=\"by-action\">by action</label>"
      "<input class=\"choice\" type=\"radio\" name=\"ram-axis\" id=\"by-time\">"
      "<label class=\"tab tab-time\" for=\"by-time\">by time</label>\n";
  return out + "<div class=\"over-actions\">\n" + by_action +
         "</div>\n<div class=\"over-time\">\n" + ram_pictures(input, story, RamAxis::Seconds) +
         "</div>\n</section>\n";
}

std::string stages_section(const ReportInput& input, const Story& story) {
  return "<section><h2>What lies where, stage by stage</h2>\n<p>Each row is a stage, each column a "
         "tensor. A cell says where the tensor lies while the stage's operation runs, and what "
         "happens to it in the stage.</p>\n" +
         in_both_widths(
             [&](ChartWidth width) { return matrix_chart(input.problem, story.matrix, width); }) +
         "</section>\n";
}

std::string arena_section(const ReportInput& input) {
  if (!input.arena || input.arena->actions == 0) return "";
  return "<section><h2>What lies where in RAM</h2>\n<p>Every buffer at its address in one arena, "
         "over the actions of the step.</p>\n" +
         in_both_widths([&](ChartWidth width) { return arena_chart(*input.arena, width); }) +
         "</section>\n";
}

std::string energy_section(const ReportInput& input, const Story& story) {
  if (!knows_energies(input.problem)) return "";
  const EnergyParts parts = energy_parts(input.problem, story.actions, input.replay);
  return "<section><h2>Where the energy goes</h2>\n<p>Below, what comes on top of computing "
         "everything once, to a scale of its own.</p>\n" +
         in_both_widths([&](ChartWidth width) { return energy_chart(parts, width); }) +
         "</section>\n";
}

std::string extra_section(const ReportInput& input, const Story& story) {
  return "<section class=\"long\"><h2>What is recomputed or paged</h2>\n<p>With what it costs per "
         "step, dearest first.</p>\n" +
         extra_table(input.problem, extra_work(input.problem, story.actions)) + "</section>\n";
}

std::string working_set_section(const ReportInput& input) {
  if (input.problem.operations.empty()) return "";
  return "<section><h2>What each operation needs</h2>\n<p>The inputs, outputs and work space of "
         "each operation on its own: no schedule runs it with less.</p>\n" +
         in_both_widths([&](ChartWidth width) { return working_set_chart(input.problem, width); }) +
         "</section>\n";
}

std::string facts_section(const ReportInput& input) {
  std::string out = "<section class=\"long\"><h2>In figures</h2>\n<dl class=\"facts\">\n";
  for (const Fact& fact : facts_of(input))
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_markup(fact.name),
                       escape_markup(fact.value));
  return out + "</dl>\n</section>\n";
}

std::string page_subject(const ReportInput& input) {
  return input.origin.model.empty() ? input.problem.name : input.origin.model;
}

std::string heading(const ReportInput& input) {
  const std::string platform = input.origin.platform.empty()
                                   ? ""
                                   : " <span>on</span> " + escape_markup(input.origin.platform);
  return fmt::format("<header><p class=\"kicker\">POET training plan</p>\n<h1>{}{}</h1></header>\n",
                     escape_markup(page_subject(input)), platform);
}

std::string footer(const ReportInput& input) {
  if (!input.schedule) return "";
  return input.replay.valid()
             ? "<footer><p>Every figure of this schedule comes from replaying it "
               "action by action against the rules, not from the solver.</p></footer>\n"
             : "";
}

}  // namespace

std::string html_report(const ReportInput& input) {
  const Story story = story_of(input);
  std::string page = page_head(page_subject(input) + ": " + verdict_of(input).title, "");
  page += "<body>\n" + heading(input) + "<main>\n";
  page += verdict_section(input) + cards(input);
  if (!input.schedule) page += working_set_section(input);
  if (input.cuts) page += cuts_section(*input.cuts);
  if (!story.actions.empty()) {
    page += ram_section(input, story) + arena_section(input) + stages_section(input, story);
    page += energy_section(input, story) + extra_section(input, story);
  }
  page += command_section(input.origin.command) + facts_section(input);
  page += "<section class=\"long\"><h2>Words</h2>\n";
  page += report_words_html();
  page +=
      "</section>\n</main>\n" + footer(input) + "<div id=\"tip\" role=\"status\" hidden></div>\n";
  page += "<script type=\"application/json\" id=\"poet-data\">" +
          page_data(input.problem, story.actions, story.matrix) + "</script>\n<script>\n";
  page += report_js();
  page += copy_js();
  return page + "</script>\n</body>\n</html>\n";
}

std::vector<std::string> chart_file_names() {
  return {"ram_over_actions.svg", "ram_over_time.svg", "arena.svg",
          "stages.svg",           "energy.svg",        "working_sets.svg"};
}

std::vector<ReportFile> svg_charts(const ReportInput& input) {
  const Story story = story_of(input);
  std::vector<Chart> charts;
  if (!story.actions.empty()) {
    charts.push_back(ram_chart(input.problem, story.actions, RamAxis::Actions, ChartWidth::Wide));
    if (input.replay.time_s > 0)
      charts.push_back(ram_chart(input.problem, story.actions, RamAxis::Seconds, ChartWidth::Wide));
    if (input.arena && input.arena->actions > 0)
      charts.push_back(arena_chart(*input.arena, ChartWidth::Wide));
    charts.push_back(matrix_chart(input.problem, story.matrix, ChartWidth::Wide));
    charts.push_back(
        energy_chart(energy_parts(input.problem, story.actions, input.replay), ChartWidth::Wide));
  } else if (!input.problem.operations.empty()) {
    charts.push_back(working_set_chart(input.problem, ChartWidth::Wide));
  }
  std::vector<ReportFile> files;
  for (const Chart& chart : charts)
    files.push_back(ReportFile{chart.name + ".svg", standalone_svg(chart)});
  return files;
}

}  // namespace poet
