#include "poet/report/extra_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/problem/facts.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

struct WorkKind {
  ActionKind kind;
  const char* name;
  const char* css_class;
};
constexpr WorkKind kWorkKinds[] = {{ActionKind::Recompute, "recompute", "recompute"},
                                   {ActionKind::PageIn, "page in", "page-in"},
                                   {ActionKind::PageOut, "page out", "page-out"}};

const WorkKind& row_of(ActionKind kind) {
  const auto row = std::find_if(std::begin(kWorkKinds), std::end(kWorkKinds),
                                [&](const WorkKind& one) { return one.kind == kind; });
  return row == std::end(kWorkKinds) ? kWorkKinds[0] : *row;
}

// A cell whose sort key is `key` and whose text is `text`.
std::string figure_cell(const char* css_class, double key, const std::string& text) {
  return fmt::format("<td class=\"{}\" data-key=\"{}\">{}</td>", css_class, key, text);
}

std::string table_row(const Problem& problem, const ExtraWork& work) {
  const WorkKind& kind = row_of(work.kind);
  const std::string name = escape_markup(subject_name(problem, work.kind, work.index));
  const std::int64_t moved_bytes = work.size_bytes * work.count;
  return fmt::format(
             "<tr data-kind=\"{}\"><td data-key=\"{}\"><span class=\"chip {}\">{}</span></td>"
             "<th scope=\"row\" data-key=\"{}\">{}</th>",
             kind.css_class, kind.name, kind.css_class, kind.name, name, name) +
         figure_cell("number", static_cast<double>(work.count), count_figure(work.count) + "×") +
         figure_cell("number stages", static_cast<double>(work.stages.front()),
                     stages_text(work.stages, 4)) +
         figure_cell("number bytes", static_cast<double>(moved_bytes), size_figure(moved_bytes)) +
         figure_cell(
             "number", work.energy_j,
             knows_energies(problem) || work.energy_j > 0 ? energy_figure(work.energy_j) : "") +
         figure_cell("number time", work.time_s, time_figure(work.time_s)) + "</tr>\n";
}

std::string heading(const char* css_class, const char* text, const char* order) {
  return fmt::format("<th scope=\"col\" class=\"{}\"{}><button type=\"button\">{}</button></th>",
                     css_class, order, text);
}

std::string controls(std::int64_t rows) {
  std::string out =
      "<div class=\"controls\"><label>Filter <input type=\"search\" id=\"extra-filter\" "
      "placeholder=\"part of a name\"></label><label>Show <select id=\"extra-kind\"><option "
      "value=\"\">all kinds</option>";
  for (const WorkKind& kind : kWorkKinds)
    out += fmt::format("<option value=\"{}\">{}</option>", kind.css_class, kind.name);
  return out + fmt::format("</select></label><output id=\"extra-count\">{}</output></div>\n",
                           counted(rows, "row"));
}

}  // namespace

std::string stages_text(const std::vector<std::int64_t>& stages, std::size_t most) {
  std::string out;
  const std::size_t shown = stages.size() <= most ? stages.size() : most - 1;
  for (std::size_t i = 0; i < shown; ++i) out += fmt::format("{}{}", i > 0 ? ", " : "", stages[i]);
  if (shown < stages.size()) out += fmt::format(" and {} more", stages.size() - shown);
  return out;
}

std::string extra_table(const Problem& problem, const std::vector<ExtraWork>& works) {
  if (works.empty())
    return "<p>Nothing is recomputed, read or written: every operation runs once.</p>\n";
  std::string out = controls(std::ssize(works));
  out +=
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"What is recomputed or "
      "paged\"><table id=\"extra\"><thead><tr>";
  out += heading("", "What", "") + heading("", "Name", "") + heading("number", "Times", "") +
         heading("number stages", "In stages", "") + heading("number bytes", "Bytes", "") +
         heading("number", "Energy", " aria-sort=\"descending\"") +
         heading("number time", "Time", "");
  out += "</tr></thead>\n<tbody>\n";
  for (const ExtraWork& work : works) out += table_row(problem, work);
  return out + "</tbody></table></div>\n";
}

}  // namespace poet
