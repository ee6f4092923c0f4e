#include "poet/base/number_text.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>

#include "poet/base/byte_text.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

// Of what is smaller a double holds fewer digits.
constexpr double kLeastDouble = 1e-307;

template <typename T>
std::optional<T> number_in(const std::string& text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// A number as it should be written, of which a machine number cannot hold the value.
template <typename T>
bool is_out_of_range(const std::string& text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if constexpr (std::is_floating_point_v<T>)
    if (status == std::errc{} && stop == end && value != 0 && std::abs(value) < kLeastDouble)
      return true;
  return status == std::errc::result_out_of_range && stop == end;
}

Error beyond_doubles(const std::string& text) {
  return bad_input(fmt::format("{} is out of range: 0, or from 1e-307 to 1e308", in_quotes(text)));
}

}  // namespace

Result<std::int64_t> read_whole(const std::string& text, std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> value = number_in<std::int64_t>(text);
  const bool beyond = is_out_of_range<std::int64_t>(text) && !text.starts_with('-');
  if (beyond || (value && *value > most))
    return bad_input(
        fmt::format("{} is too large; the largest that works is {}", in_quotes(text), most));
  if (!value || *value < least)
    return bad_input(
        fmt::format("expected a whole number of at least {}, found {}", least, in_quotes(text)));
  return *value;
}

Result<std::int64_t> read_block(const std::string& text) {
  constexpr std::int64_t kMostBytes = 1 << 20;
  const Result<std::int64_t> bytes = parse_bytes(text);
  if (!bytes.ok()) return bytes.error();
  if (*bytes >= 1 && *bytes <= kMostBytes && (*bytes & (*bytes - 1)) == 0) return *bytes;
  return bad_input(
      fmt::format("a block of storage is a power of two up to 1 MiB, found {}", in_quotes(text)));
}

Result<double> read_number(const std::string& text, Zero zero) {
  const std::optional<double> value = number_in<double>(text);
  if (is_out_of_range<double>(text) && !text.starts_with('-')) return beyond_doubles(text);
  const bool right = value && std::isfinite(*value) && !std::signbit(*value) &&
                     (zero == Zero::Allowed || *value > 0);
  if (!right)
    return bad_input(fmt::format("expected a number {} 0, found {}",
                                 zero == Zero::Allowed ? "of at least" : "above", in_quotes(text)));
  return *value;
}

Result<double> read_part(const std::string& text) {
  const bool percent = text.ends_with('%');
  const std::optional<double> value =
      number_in<double>(percent ? text.substr(0, text.size() - 1) : text);
  const double part = value ? *value / (percent ? 100 : 1) : -1;
  if (!(part >= 0 && part < 1))
    return bad_input(
        fmt::format("expected a part such as 1e-4 or 0.01%, from 0 to less than 1, "
                    "found {}",
                    in_quotes(text)));
  return part;
}

}  // namespace poet
