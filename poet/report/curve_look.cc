#include "poet/report/curve_look.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/report/chart.h"
#include "poet/report/markup.h"

namespace poet {
namespace {

// The numbers of tones, dashes and shapes have no common divisor, so that neighbours differ in all
// three and no two of 280 are alike.
constexpr std::size_t kTones = 7, kDashes = 5;

// The path of a mark after its "Mx y", which stands at its middle.
struct MarkShape {
  const char* css_class;
  const char* path;
};
constexpr MarkShape kShapes[] = {{"mark", "m-3.5 -3.5h7v7h-7z"},
                                 {"mark", "m0 -4.5l4.5 8h-9z"},
                                 {"mark", "m0 -5l5 5l-5 5l-5 -5z"},
                                 {"mark hollow", "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z"},
                                 {"mark", "m0 4.5l4.5 -8h-9z"},
                                 {"mark hollow", "m-3 -3h6v6h-6z"},
                                 {"mark hollow", "m0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z"},
                                 {"mark hollow", "m0 -4l4 7h-8z"}};
constexpr MarkShape kForemost = {"mark", "m-7 0a7 7 0 1 0 14 0a7 7 0 1 0 -14 0z"};
constexpr MarkShape kSmallForemost = {"mark", "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"};

const MarkShape& shape_of(const CurveLook& look, MarkSize size) {
  if (look.foremost) return size == MarkSize::Full ? kForemost : kSmallForemost;
  return kShapes[look.place % std::size(kShapes)];
}

}  // namespace

CurveLook curve_look(const std::vector<std::string>& methods, std::string_view method) {
  const auto found = std::find(methods.begin(), methods.end(), method);
  return {static_cast<std::size_t>(found - methods.begin()), method == "poet"};
}

std::string look_attributes(const CurveLook& look) {
  const std::string style =
      look.foremost ? "foremost"
                    : fmt::format("tone-{} dash-{}", look.place % kTones, look.place % kDashes);
  return fmt::format("class=\"{}\" data-method=\"{}\"", style, look.place);
}

std::string curve_mark(const CurveLook& look, MarkSize size, double x, double y,
                       std::string_view attributes, std::string_view content) {
  const MarkShape& shape = shape_of(look, size);
  const std::string element = fmt::format("<path class=\"{}\" d=\"M{} {}{}\"{}", shape.css_class,
                                          coordinate(x), coordinate(y), shape.path, attributes);
  return content.empty() ? element + "/>\n" : fmt::format("{}>{}</path>\n", element, content);
}

std::string look_sample(const CurveLook& look, double x, double y) {
  return svg_line(x, y, x + kLookSamplePx, y, "curve") +
         curve_mark(look, MarkSize::Full, x + kLookSamplePx / 2, y, "", "");
}

}  // namespace poet
