#include "poet/report/chart.h"

#include <fmt/format.h>

#include "poet/report/markup.h"
#include "poet/report/page_texts.h"

namespace poet {
namespace {

std::string svg_element(const Chart& chart, std::string_view extra, std::string_view style) {
  return fmt::format(
      "<svg{} class=\"chart\" role=\"img\" viewBox=\"0 0 {} {}\" aria-labelledby=\"{}-title "
      "{}-desc\"{}>\n<title id=\"{}-title\">{}</title>\n<desc "
      "id=\"{}-desc\">{}</desc>\n{}{}</svg>\n",
      extra, coordinate(chart.width_px), coordinate(chart.height_px), chart.name, chart.name,
      chart.attributes, chart.name, escape_markup(chart.title), chart.name,
      escape_markup(chart.description), style, chart.body);
}

// What stands between the braces of a sheet of one rule.
std::string_view declarations(std::string_view sheet) {
  const std::size_t begin = sheet.find("{\n") + 2;
  return sheet.substr(begin, sheet.rfind("}\n") - begin);
}

}  // namespace

// Paper is light, whatever the screen prefers.
std::string chart_colours() {
  std::string css = ":root {\n  color-scheme: light dark;\n";
  css += declarations(light_css());
  css += "}\n@media (prefers-color-scheme: dark) {\n  :root {\n";
  css += declarations(dark_css());
  css += "  }\n}\n@media print {\n  :root {\n";
  css += declarations(light_css());
  return css + "  }\n}\n";
}

std::string inline_svg(const Chart& chart) {
  return svg_element(chart, "", "");
}

std::string standalone_svg(const Chart& chart) {
  const std::string size =
      fmt::format(" xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\"",
                  coordinate(chart.width_px), coordinate(chart.height_px));
  const std::string style = fmt::format("<style>\n{}{}</style>\n{}", chart_colours(), chart_css(),
                                        svg_rect(0, 0, chart.width_px, chart.height_px, "paper"));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg_element(chart, size, style);
}

std::string svg_text(double x, double y, std::string_view css_class, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", coordinate(x),
                     coordinate(y), css_class, escape_markup(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return fmt::format("<path d=\"M{} {}L{} {}\" class=\"{}\"/>\n", coordinate(x1), coordinate(y1),
                     coordinate(x2), coordinate(y2), css_class);
}

std::string svg_rect(double x, double y, double width, double height, std::string_view css_class) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n",
                     coordinate(x), coordinate(y), coordinate(width), coordinate(height),
                     css_class);
}

double text_px(std::string_view text) {
  double width = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) width += 6.6;
  return width;
}

}  // namespace poet
