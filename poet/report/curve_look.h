#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poet {

// How the line of a method is told apart from up to 30 others, also by those who see no colours and
// on black and white paper: by colour, dashes and the shape of its marks. The foremost line is
// POET's: broad, without dashes, below all others so that it shows where they coincide.
struct CurveLook {
  std::size_t place = 0;  // among the methods of a page
  bool foremost = false;

  bool operator==(const CurveLook&) const = default;
};

CurveLook curve_look(const std::vector<std::string>& methods, std::string_view method);

// The attributes of the group that holds the line and the marks of a method.
std::string look_attributes(const CurveLook& look);

// Small marks are for lines with many of them; only the foremost line has two sizes.
enum class MarkSize { Full, Small };

// A mark around (x, y): a whole <path> element. `attributes` have a space before each; `content` is
// markup.
std::string curve_mark(const CurveLook& look, MarkSize size, double x, double y,
                       std::string_view attributes, std::string_view content);

// A piece of the line with a mark, from x to x + kLookSamplePx, at the height y: for legends.
constexpr double kLookSamplePx = 32;
std::string look_sample(const CurveLook& look, double x, double y);

}  // namespace poet
