#include "poet/base/byte_text.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>
#include <vector>

#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"
#include "poet/base/unit_text.h"

namespace poet {
namespace {

struct ByteUnit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<ByteUnit, 7> kByteUnits = {{{"B", 1},
                                                 {"KB", 1'000},
                                                 {"KiB", 1'024},
                                                 {"MB", 1'000'000},
                                                 {"MiB", 1'048'576},
                                                 {"GB", 1'000'000'000},
                                                 {"GiB", 1'073'741'824}}};
// So many that the digits times a GiB still fit in 63 bits.
constexpr std::size_t kMostDecimals = 9;

std::optional<std::int64_t> bytes_of(std::string_view unit) {
  if (unit.empty()) return 1;
  for (const ByteUnit& row : kByteUnits)
    if (row.name == unit) return row.bytes;
  return std::nullopt;
}

std::vector<std::string_view> all_units() {
  std::vector<std::string_view> names;
  for (const ByteUnit& row : kByteUnits) names.push_back(row.name);
  return names;
}

std::size_t digits_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end - begin;
}

// Nothing when it does not fit. No digits are 0.
std::optional<std::int64_t> whole_number(std::string_view digits) {
  std::int64_t number = 0;
  if (digits.empty()) return number;
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status != std::errc{}) return std::nullopt;
  return number;
}

// whole.decimals times the unit, rounded down; nothing when it does not fit.
std::optional<std::int64_t> scaled(std::string_view whole, std::string_view decimals,
                                   std::int64_t unit_bytes) {
  const std::optional<std::int64_t> count = whole_number(whole);
  if (!count) return std::nullopt;
  const std::optional<std::int64_t> full = checked_multiply(*count, unit_bytes);
  if (!full) return std::nullopt;
  std::int64_t part = *whole_number(decimals) * unit_bytes;
  for (std::size_t i = 0; i < decimals.size(); ++i) part /= 10;
  return checked_add(*full, part);
}

}  // namespace

Result<std::int64_t> parse_bytes(std::string_view text, const SourcePos& where) {
  const std::size_t whole = digits_at(text, 0);
  if (whole == 0)
    return bad_input("expected a size such as 256KiB, found " + in_quotes(text), where);
  std::size_t number_end = whole;
  std::size_t decimals = 0;
  if (number_end < text.size() && text[number_end] == '.') {
    decimals = digits_at(text, whole + 1);
    number_end += 1 + decimals;
    if (decimals == 0 || decimals > kMostDecimals)
      return bad_input("expected 1 to 9 digits after the point, found " + in_quotes(text),
                       shifted(where, whole + 1));
  }
  const bool space = number_end < text.size() && text[number_end] == ' ';
  const std::size_t unit_begin = number_end + (space ? 1 : 0);
  const std::string_view unit = text.substr(unit_begin);
  const std::optional<std::int64_t> unit_bytes = bytes_of(unit);
  if (!unit_bytes || (space && unit.empty()))
    return bad_input(unknown_unit(unit, all_units()), shifted(where, unit_begin));
  const std::optional<std::int64_t> bytes =
      scaled(text.substr(0, whole), text.substr(number_end - decimals, decimals), *unit_bytes);
  if (!bytes) return bad_input("the size does not fit in 63 bits", where);
  return *bytes;
}

std::string format_bytes(std::int64_t size_bytes) {
  std::string_view name = "B";
  std::int64_t unit_bytes = 1;
  for (const ByteUnit& row : kByteUnits) {
    const bool binary = (row.bytes & (row.bytes - 1)) == 0;
    if (!binary || size_bytes == 0 || size_bytes % row.bytes != 0) continue;
    name = row.name;
    unit_bytes = row.bytes;
  }
  return std::to_string(size_bytes / unit_bytes) + " " + std::string(name);
}

}  // namespace poet
