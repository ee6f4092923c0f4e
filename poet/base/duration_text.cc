#include "poet/base/duration_text.h"

#include <array>
#include <cstdio>

#include "poet/base/unit_text.h"

namespace poet {

const std::vector<Unit>& duration_units() {
  static const std::vector<Unit> units = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
                                          {"s", 1},     {"min", 60},  {"h", 3600}};
  return units;
}

Result<double> parse_duration(std::string_view text, const SourcePos& where) {
  return parse_quantity(text, duration_units(), where);
}

std::string exact_seconds(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.10g s", seconds);
  return text.data();
}

}  // namespace poet
