#include "poet/base/unit_text.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "poet/base/message_text.h"

namespace poet {

std::string unit_names(const std::vector<Unit>& units) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  return alternatives(names);
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
  if (status != std::errc{}) return bad_input("number out of range: " + in_quotes(text), where);

  std::size_t unit_begin = static_cast<std::size_t>(stop - text.data());
  if (unit_begin < text.size() && text[unit_begin] == ' ') ++unit_begin;
  const std::string_view name = text.substr(unit_begin);
  if (name.empty())
    return bad_input("the unit is missing (use " + unit_names(units) + ")",
                     shifted(where, unit_begin));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double value = count * unit.in_base_units;
    if (std::isfinite(value)) return value;
    return bad_input("number out of range: " + in_quotes(text), where);
  }
  return bad_input("unknown unit " + in_quotes(name) + " (use " + unit_names(units) + ")",
                   shifted(where, unit_begin));
}

}  // namespace poet
