#pragma once

#include <string>
#include <string_view>

namespace poet {

// Each chart is drawn for two widths: text in an SVG scales with the picture, so one drawing cannot
// be read both on a desk and on a phone.
enum class ChartWidth { Wide, Narrow };

constexpr double chart_px(ChartWidth width) {
  return width == ChartWidth::Wide ? 960 : 360;
}

// A picture as SVG elements over [0, width_px) x [0, height_px), with what it says to those who
// cannot see it.
struct Chart {
  std::string name;  // unique in a page: the stem of a file name and of ids
  std::string title;
  std::string description;
  double width_px = 0;
  double height_px = 0;
  std::string body;
  std::string attributes;  // more attributes of the <svg> element, with a space before each
};

// The <svg> element for a page that holds chart_css().
std::string inline_svg(const Chart& chart);

// A whole file, with its own style and background.
std::string standalone_svg(const Chart& chart);

// The colours of charts and pages, for light and dark, as CSS. They come from a palette that those
// with the common forms of colour blindness can tell apart, and no meaning rests on colour alone.
std::string chart_colours();

// Elements. Text is escaped here; `css_class` is ours.
std::string svg_text(double x, double y, std::string_view css_class, std::string_view text);
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css_class);
std::string svg_rect(double x, double y, double width, double height, std::string_view css_class);

// About how wide a text is, in chart text size; no fonts can be asked.
double text_px(std::string_view text);

}  // namespace poet
