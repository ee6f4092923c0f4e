#include "poet/report/cuts_section.h"

#include <fmt/core.h>

#include "poet/graph/operator_table.h"
#include "poet/report/figure_text.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

std::string table_head(const std::string& id, const std::string& name) {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table "
      "id=\"{}\"><thead><tr>",
      name, id);
}

std::string heading(const char* column_class, const char* text) {
  return fmt::format("<th class=\"{}\" scope=\"col\">{}</th>", column_class, text);
}

std::string number(const std::string& text) {
  return "<td class=\"number\">" + text + "</td>";
}

std::string dimension_row(const CutDimensions& cut) {
  const std::string others =
      cut.tensors == 1 ? "" : fmt::format(" and {} more", count_figure(cut.tensors - 1));
  return fmt::format("<tr><td>{}, dimension {}{}</td>{}{}<td>{}</td>{}</tr>\n",
                     escape_markup(cut.largest), cut.dimension, others,
                     number(count_figure(cut.extent)), number(count_figure(cut.block)),
                     escape_markup(cut.because_of), number(size_figure(cut.needed_bytes)));
}

std::string operation_row(const CutOperation& cut) {
  return fmt::format("<tr><td>{}</td><td>{}</td>{}{}{}</tr>\n", escape_markup(cut.name),
                     escape_markup(std::string(entry_of(cut.kind).name)),
                     number(size_figure(cut.whole_bytes)), number(count_figure(cut.apart)),
                     number(count_figure(cut.in_sum)));
}

std::string introduction(const CutPicture& picture) {
  return fmt::format(
      "<p>So that no operation needs more than {}{}, {} of them come in parts, and {} are whole: "
      "{} "
      "in all. The numbers are those of the whole operations, to the bit; what is proved here is "
      "of this way of cutting{}.</p>\n",
      size_figure(picture.part_bytes),
      picture.by_budget ? ", a size that was chosen for the RAM budget" : "",
      count_figure(std::ssize(picture.cuts->operations)),
      count_figure(picture.cuts->whole_operations), count_figure(picture.operations),
      picture.least_traffic.empty() ? "" : "; " + picture.least_traffic);
}

}  // namespace

std::string cuts_section(const CutPicture& picture) {
  if (!picture.cuts) return "";
  std::string out = "<section class=\"long\"><h2>What is cut into parts</h2>\n";
  out += introduction(picture);
  out += "<p>Dimensions that are cut, in all tensors that go along with each other:</p>\n" +
         table_head("cut-dimensions", "Dimensions that are cut") + heading("", "Dimension") +
         heading("number", "Extent") + heading("number", "Block") + heading("", "Because of") +
         heading("number", "Which needed") + "</tr></thead>\n<tbody>\n";
  for (const CutDimensions& cut : picture.cuts->dimensions) out += dimension_row(cut);
  out += "</tbody></table></div>\n<p>Operations in parts:</p>\n" +
         table_head("cut-operations", "Operations in parts") + heading("", "Operation") +
         heading("", "Operator") + heading("number", "Whole") + heading("number", "Parts apart") +
         heading("number", "In each sum") + "</tr></thead>\n<tbody>\n";
  for (const CutOperation& cut : picture.cuts->operations) out += operation_row(cut);
  return out + "</tbody></table></div>\n</section>\n";
}

}  // namespace poet
