#include "poet/ask/limits.h"

#include <fmt/core.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "poet/base/byte_text.h"
#include "poet/base/duration_text.h"
#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/problem/facts.h"
#include "poet/problem/figure_range.h"

namespace poet {
namespace {

// What stands before an exponent, and the exponent; 0 without one.
struct ShiftedDigits {
  std::string_view digits = {};
  std::int64_t power_of_ten = 0;
};
std::optional<ShiftedDigits> shifted_digits(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return ShiftedDigits{text, 0};
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+') && !exponent.starts_with("+-")) exponent.remove_prefix(1);
  std::int32_t power = 0;
  const auto [stop, status] =
      std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  if (status != std::errc{} || stop != exponent.data() + exponent.size()) return std::nullopt;
  return ShiftedDigits{text.substr(0, e), power};
}

// A decimal number that is not negative, times a power of ten, as the nearest double. The whole
// text must be the number. Shifted in its digits, so that nothing is rounded twice.
std::optional<double> decimal(std::string_view text, std::int64_t power_of_ten = 0) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  if (text.empty() || text[0] == '+' || text[0] == '-') return std::nullopt;
  const std::optional<ShiftedDigits> given = shifted_digits(text);
  if (!given) return std::nullopt;
  const std::string_view digits = given->digits;
  const std::string shifted = fmt::format("{}e{}", digits, given->power_of_ten + power_of_ten);
  double value = 0;
  const auto [stop, status] =
      std::from_chars(shifted.data(), shifted.data() + shifted.size(), value);
  if (digits.empty() || status != std::errc{} || stop != shifted.data() + shifted.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::string_view> without_suffix(std::string_view text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return std::nullopt;
  text.remove_suffix(suffix.size());
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

constexpr std::string_view kBudgetForms = "737719, 720KiB, 3MB, 60%, 0.6x or 40%way";
constexpr std::string_view kDeadlineForms = "1.5, 1.5x, 200ms, 3s or 2min";
constexpr std::string_view kUncertaintyForms = "20%, 0.2 or, for at most 8 costs, 20%:8";
constexpr std::int64_t kLargestBudgetBytes = std::int64_t{1} << 62;
constexpr std::int64_t kMostDeviations = std::int64_t{1} << 62;  // what files of problems hold

// A guess at what was meant says enough.
Error not_a_budget(std::string_view text, std::string_view why) {
  if (why.ends_with('?'))
    return bad_input(fmt::format("{} is not a RAM budget: {}", in_quotes(text), why));
  return bad_input(fmt::format("{} is not a RAM budget: {}; write it as {}", in_quotes(text), why,
                               kBudgetForms));
}

Error not_a_deadline(std::string_view text, std::string_view why) {
  return bad_input(fmt::format("{} is not a deadline: {}; write it as {}", in_quotes(text), why,
                               kDeadlineForms));
}

Error not_an_uncertainty(std::string_view text, std::string_view why) {
  return bad_input(fmt::format("{} is not an uncertainty: {}; write it as {}", in_quotes(text), why,
                               kUncertaintyForms));
}

// "40%way" written otherwise: in capitals, or with blanks.
std::optional<std::string> meant_way(std::string_view text) {
  std::string plain;
  for (const char letter : text)
    if (letter != ' ') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (plain == text || !plain.ends_with("%way") || !parse_ram_budget(plain).ok())
    return std::nullopt;
  return plain;
}

// Why a number in front of '%', 'x' or '%way' is none that counts.
std::string why_no_ratio(std::string_view number) {
  if (number.empty()) return "the number is missing";
  const bool is_below = number.starts_with('-') && decimal(number.substr(1)) != 0.0;
  return is_below ? "it is below 0" : in_quotes(number) + " is not a number";
}

// Why a text without a suffix of ours is not a number of bytes.
std::string why_no_bytes(std::string_view text, const Error& error) {
  if (text.starts_with('-')) return "it is below 0";
  if (decimal(text) && text.find_first_of("eE") != std::string_view::npos)
    return "bytes are written without an exponent";
  if (const std::optional<std::string> way = meant_way(text)) return "did you mean '" + *way + "'?";
  return error.message;
}

Error no_time(std::string_view text) {
  return bad_input(
      fmt::format("a deadline must be longer than nothing, found {}", in_quotes(text)));
}

}  // namespace

std::string way_text(double ratio) {
  const std::string plain = fmt::format("{:.12g}%way", ratio * 100);
  const Result<RamBudget> again = parse_ram_budget(plain);
  const bool same = again.ok() && std::get<RamOnTheWay>(*again).ratio == ratio;
  if (same) return plain;
  char digits[32];
  const auto written =
      std::to_chars(digits, digits + sizeof digits, ratio, std::chars_format::scientific);
  const std::optional<ShiftedDigits> shortest =
      shifted_digits({digits, static_cast<std::size_t>(written.ptr - digits)});
  return fmt::format("{}e{}%way", shortest->digits, shortest->power_of_ten + 2);
}

Result<RamBudget> parse_ram_budget(std::string_view text) {
  for (const std::string_view suffix : {"%way", "%", "x"}) {
    const std::optional<std::string_view> number = without_suffix(text, suffix);
    if (!number) continue;
    const std::optional<double> ratio = decimal(*number, suffix == "x" ? 0 : -2);
    if (!ratio) return not_a_budget(text, why_no_ratio(*number));
    return suffix == "%way" ? Result<RamBudget>(RamOnTheWay{*ratio})
                            : Result<RamBudget>(RamOfPlainPeak{*ratio});
  }
  const Result<std::int64_t> bytes = parse_bytes(text);
  const bool fraction = text.find_first_not_of("0123456789.") == std::string_view::npos &&
                        text.find('.') != std::string_view::npos;
  if (!bytes.ok()) return not_a_budget(text, why_no_bytes(text, bytes.error()));
  // Somebody who writes 0.6 means a part, not no bytes at all.
  if (fraction) return not_a_budget(text, "bytes without a unit are whole");
  if (*bytes > kLargestBudgetBytes)
    return bad_input(fmt::format("the RAM budget {} is too large; the largest is 4294967296GiB",
                                 in_quotes(text)));
  return Result<RamBudget>(RamBytes{*bytes});
}

Result<Deadline> parse_deadline(std::string_view text) {
  const std::optional<double> ratio = decimal(without_suffix(text, "x").value_or(text));
  if (ratio) return *ratio > 0 ? Result<Deadline>(DeadlineRatio{*ratio}) : no_time(text);
  const Result<double> seconds = parse_duration(text);
  if (!seconds.ok()) return not_a_deadline(text, seconds.error().message);
  if (!is_in_figure_range(*seconds))
    return not_a_deadline(text,
                          fmt::format("a time is from {} s to {} s", kLeastFigure, kMostFigure));
  return *seconds > 0 ? Result<Deadline>(DeadlineSeconds{*seconds}) : no_time(text);
}

Result<Uncertainty> parse_uncertainty(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view part = text.substr(0, colon);
  const std::optional<std::string_view> percent = without_suffix(part, "%");
  const std::optional<double> ratio = decimal(percent.value_or(part), percent ? -2 : 0);
  if (!ratio) return not_an_uncertainty(text, why_no_ratio(percent.value_or(part)));
  if (!(*ratio > 0 && *ratio <= kMostUncertainty))
    return not_an_uncertainty(text, "it must be above 0 and at most 1000%");
  Uncertainty uncertainty{.ratio = *ratio};
  if (colon == std::string_view::npos) return uncertainty;
  const Result<std::int64_t> most = read_whole(std::string(text.substr(colon + 1)), 1);
  if (!most.ok()) return not_an_uncertainty(text, "behind the colon, " + most.error().message);
  if (*most > kMostDeviations)
    return not_an_uncertainty(text, "behind the colon, it does not fit in 62 bits");
  uncertainty.deviations = *most;
  return uncertainty;
}

std::string uncertainty_text(const Uncertainty& uncertainty) {
  const std::string part = fmt::format("{}", uncertainty.ratio);
  return uncertainty.deviations ? fmt::format("{}:{}", part, *uncertainty.deviations) : part;
}

std::optional<std::int64_t> part_of_bytes(double ratio, std::int64_t whole_bytes) {
  const double product = ratio * static_cast<double>(whole_bytes);
  if (!(product < std::ldexp(1.0, 62))) return std::nullopt;
  const double nearest = std::nearbyint(product);
  const bool exact = nearest / static_cast<double>(whole_bytes) == ratio;
  return static_cast<std::int64_t>(exact ? nearest : std::floor(product));
}

Result<std::int64_t> budget_bytes(const RamBudget& budget, const Problem& problem) {
  if (const RamBytes* const fixed = std::get_if<RamBytes>(&budget)) return fixed->bytes;
  const std::int64_t peak_bytes = plain_peak_bytes(problem);
  const auto too_large = [](double ratio, const char* of) {
    return bad_input(
        fmt::format("the RAM budget, {:g} times {}, does not fit in 62 bits", ratio, of));
  };
  if (const RamOfPlainPeak* const part = std::get_if<RamOfPlainPeak>(&budget)) {
    const std::optional<std::int64_t> bytes = part_of_bytes(part->ratio, peak_bytes);
    return bytes ? Result<std::int64_t>(*bytes)
                 : too_large(part->ratio, "what keeping everything needs");
  }
  const std::int64_t least_bytes = largest_working_set(problem).bytes;
  const double ratio = std::get<RamOnTheWay>(budget).ratio;
  const std::optional<std::int64_t> way = part_of_bytes(ratio, peak_bytes - least_bytes);
  return way ? Result<std::int64_t>(least_bytes + *way)
             : too_large(ratio, "the way from the largest working set to the plain peak");
}

Result<double> deadline_s(const Deadline& deadline, const Problem& problem) {
  const DeadlineSeconds* const fixed = std::get_if<DeadlineSeconds>(&deadline);
  const double seconds =
      fixed != nullptr ? fixed->seconds
                       : std::get<DeadlineRatio>(deadline).ratio * unavoidable(problem).compute_s;
  if (!is_in_figure_range(seconds))
    return bad_input(fmt::format("the deadline is {} s, and a time is from {} s to {} s", seconds,
                                 kLeastFigure, kMostFigure));
  return seconds;
}

}  // namespace poet
