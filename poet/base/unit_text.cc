#include "poet/base/unit_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "poet/base/message_text.h"

namespace poet {

namespace {

std::vector<std::string_view> names_of(const std::vector<Unit>& units) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  return names;
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

Error out_of_range(std::string_view text, const SourcePos& where) {
  return bad_input("number out of range: " + in_quotes(text) + " (0, or from 1e-307 to 1e308)",
                   where);
}

}  // namespace

std::string unit_names(const std::vector<Unit>& units) {
  return alternatives(names_of(units));
}

std::string unknown_unit(std::string_view unit, const std::vector<std::string_view>& names) {
  const std::string text = "unknown unit " + in_quotes(unit);
  for (const std::string_view name : names)
    if (same_but_for_case(unit, name)) return text + "; did you mean '" + std::string(name) + "'?";
  return text + " (use " + alternatives(names) + ")";
}

SourcePos shifted(const SourcePos& where, std::size_t offset) {
  SourcePos place = where;
  if (place.column > 0) place.column += static_cast<int>(offset);
  return place;
}

Result<double> parse_quantity(std::string_view text, const std::vector<Unit>& units,
                              const SourcePos& where) {
  const bool starts_well = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!starts_well)
    return bad_input("expected a number of at least 0 and its unit (" + unit_names(units) +
                         "), found " + in_quotes(text),
                     where);
  double count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, count);
  if (status != std::errc{}) return out_of_range(text, where);

  std::size_t unit_begin = static_cast<std::size_t>(stop - text.data());
  if (unit_begin < text.size() && text[unit_begin] == ' ') ++unit_begin;
  const std::string_view name = text.substr(unit_begin);
  if (name.empty())
    return bad_input("the unit is missing (use " + unit_names(units) + ")",
                     shifted(where, unit_begin));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double value = count * unit.in_base_units;
    constexpr double kLeast = 1e-307;  // of what is smaller a double holds fewer digits
    if (std::isfinite(value) && (count == 0 || value >= kLeast)) return value;
    return out_of_range(text, where);
  }
  return bad_input(unknown_unit(name, names_of(units)), shifted(where, unit_begin));
}

}  // namespace poet
