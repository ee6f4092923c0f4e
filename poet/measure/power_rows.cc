#include "poet/measure/power_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "poet/base/csv_line.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

// Ten columns of numbers are a hundred bytes.
constexpr std::int64_t kLongestLogLineBytes = 1 << 16;
// No board that is logged draws as much, and no sum of such powers overflows.
constexpr double kLargestPower_w = 1e6;
constexpr double kLargestTime_s = 1e9;
constexpr std::string_view kPinDigits = "d0-d7";

struct UnitColumn {
  std::string_view name;  // in small letters
  double in_base_units = 1;
};

constexpr UnitColumn kTimeColumns[] = {
    {"timestamp(ms)", 1e-3}, {"time_s", 1}, {"time_ms", 1e-3}, {"time_us", 1e-6}};
constexpr UnitColumn kCurrentColumns[] = {
    {"current(ua)", 1e-6}, {"current_a", 1}, {"current_ma", 1e-3}, {"current_ua", 1e-6}};
constexpr UnitColumn kPowerColumns[] = {{"power_w", 1}, {"power_mw", 1e-3}, {"power_uw", 1e-6}};

struct FoundColumn {
  std::size_t index = 0;
  double in_base_units = 1;
};

std::string small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return small;
}

template <std::size_t N>
std::optional<FoundColumn> find_column(const std::vector<std::string>& names,
                                       const UnitColumn (&known)[N]) {
  for (const UnitColumn& column : known) {
    const auto found = std::find(names.begin(), names.end(), column.name);
    if (found != names.end())
      return FoundColumn{static_cast<std::size_t>(found - names.begin()), column.in_base_units};
  }
  return std::nullopt;
}

class PowerLogReader {
 public:
  PowerLogReader(const std::string& path, const PowerLogOptions& options,
                 const std::function<Failure(const PowerSample&)>& take)
      : path_(path), options_(options), take_(take) {}

  Failure add(std::string_view line) {
    ++line_;
    if (line_ == 1) line = without_byte_order_mark(line);
    if (csv_field(line).empty()) return std::nullopt;
    const std::vector<std::string_view> fields = csv_fields(line);
    if (!columns_) return read_names(fields);
    if (std::ssize(fields) != *columns_)
      return refuse(
          fmt::format("the line has {} columns, and the first one {}", fields.size(), *columns_));
    return read_sample(fields);
  }

  Result<PowerLogSummary> finish() const {
    if (summary_.samples < 2)
      return bad_input(fmt::format("the log has {}, and two or more make one",
                                   counted(summary_.samples, "sample")),
                       {path_});
    return summary_;
  }

 private:
  Error refuse(std::string message) const {
    return bad_input(std::move(message), power_log_line(path_, line_));
  }

  Failure read_names(const std::vector<std::string_view>& fields) {
    std::vector<std::string> names;
    for (const std::string_view field : fields) names.push_back(small_letters(field));
    const std::optional<FoundColumn> time = find_column(names, kTimeColumns);
    const std::optional<FoundColumn> power = find_column(names, kPowerColumns);
    const std::optional<FoundColumn> current = find_column(names, kCurrentColumns);
    if (!time || (!power && !current))
      return refuse(
          "the first line names the columns, and one of a time and one of a current or power are "
          "among them: such as 'Timestamp(ms),Current(uA),D0,D1,D2,D3,D4,D5,D6,D7' or "
          "'time_s,power_w'");
    if (!power && !options_.supply_v)
      return refuse("the log has currents: --supply-v says at which voltage");
    time_ = *time;
    power_ = power ? *power : *current;
    if (!power) power_.in_base_units *= *options_.supply_v;
    find_pins(names);
    columns_ = std::ssize(fields);
    return std::nullopt;
  }

  void find_pins(const std::vector<std::string>& names) {
    const auto index_of = [&names](std::string_view name) -> std::optional<std::size_t> {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) return std::nullopt;
      return static_cast<std::size_t>(found - names.begin());
    };
    for (int pin = 0; pin < kPowerLogPins; ++pin)
      if (const auto index = index_of(fmt::format("d{}", pin))) pins_.push_back(*index);
    if (pins_.empty()) pin_digits_ = index_of(kPinDigits);
    summary_.has_pins = pin_digits_ || !pins_.empty();
  }

  Failure read_sample(const std::vector<std::string_view>& fields) {
    PowerSample sample{.line = line_};
    if (Failure failure = read_figure(fields, time_, kLargestTime_s, sample.time_s)) return failure;
    if (Failure failure = read_figure(fields, power_, kLargestPower_w, sample.power_w))
      return failure;
    if (Failure failure = read_pins(fields, sample)) return failure;
    if (summary_.samples > 0 && !(sample.time_s > summary_.end_s))
      return refuse(fmt::format("the time {} does not come after that of the line before",
                                in_quotes(fields[time_.index])));
    if (summary_.samples == 0) {
      summary_.begin_s = sample.time_s;
      last_pins_ = sample.pins;
    }
    for (int pin = 0; pin < kPowerLogPins; ++pin)
      if (((sample.pins ^ last_pins_) >> pin & 1) != 0)
        ++summary_.pin_changes[static_cast<std::size_t>(pin)];
    last_pins_ = sample.pins;
    summary_.end_s = sample.time_s;
    ++summary_.samples;
    return take_(sample);
  }

  Failure read_figure(const std::vector<std::string_view>& fields, const FoundColumn& column,
                      double largest, double& into) const {
    const std::string_view field = fields[column.index];
    const std::optional<double> number = csv_number(field);
    if (!number) return refuse(fmt::format("{} is not a finite number", in_quotes(field)));
    into = *number * column.in_base_units;
    if (std::abs(into) <= largest) return std::nullopt;
    return refuse(fmt::format("{} is too large to be measured", in_quotes(field)));
  }

  Failure read_pins(const std::vector<std::string_view>& fields, PowerSample& sample) const {
    std::string digits;
    if (pin_digits_) digits = fields[*pin_digits_];
    for (const std::size_t index : pins_) digits += fields[index];
    const bool are_digits =
        digits.find_first_not_of("01") == std::string::npos &&
        (!summary_.has_pins || digits.size() == (pin_digits_ ? kPowerLogPins : pins_.size()));
    if (!are_digits)
      return refuse(fmt::format("the digital channels are {}, and should be a 0 or 1 for each",
                                in_quotes(digits)));
    for (std::size_t k = 0; k < digits.size(); ++k)
      if (digits[k] == '1') sample.pins = static_cast<std::uint8_t>(sample.pins | 1u << k);
    return std::nullopt;
  }

  const std::string& path_;
  const PowerLogOptions& options_;
  const std::function<Failure(const PowerSample&)>& take_;
  std::int64_t line_ = 0;
  std::optional<std::int64_t> columns_ = {};
  FoundColumn time_ = {};
  FoundColumn power_ = {};
  std::vector<std::size_t> pins_ = {};
  std::optional<std::size_t> pin_digits_ = {};
  std::uint8_t last_pins_ = 0;
  PowerLogSummary summary_ = {};
};

bool counts(const std::vector<LoggedAction>& step, const PowerRow& row) {
  return std::any_of(step.begin() + row.begin, step.begin() + row.end,
                     [](const LoggedAction& action) { return !action.terms.empty(); });
}

double sum_of_parts(const PowerRow& row, const std::array<double, kLogParts> PowerRow::*figure) {
  double sum = 0;
  for (const double part : row.*figure) sum += part;
  return sum;
}

}  // namespace

SourcePos power_log_line(const std::string& path, std::int64_t line) {
  constexpr std::int64_t kLastLine = std::numeric_limits<int>::max();
  return {path, static_cast<int>(std::min(line, kLastLine)), 0};
}

Result<PowerLogSummary> read_power_log(const std::string& path, const PowerLogOptions& options,
                                       const std::function<Failure(const PowerSample&)>& take) {
  PowerLogReader reader(path, options, take);
  if (Failure failure = for_each_line(path, kLongestLogLineBytes, [&reader](std::string_view line) {
        return reader.add(line);
      }))
    return *failure;
  return reader.finish();
}

std::vector<PowerRow> rows_of_step(const std::vector<LoggedAction>& step,
                                   const std::vector<double>& action_s, double least_s) {
  std::vector<PowerRow> rows;
  PowerRow row;
  double row_s = 0;
  for (std::size_t k = 0; k < step.size(); ++k) {
    row.end = static_cast<std::int64_t>(k) + 1;
    row_s += action_s[k];
    if (row_s < least_s) continue;
    if (counts(step, row)) rows.push_back(row);
    row = {.begin = row.end, .end = row.end};
    row_s = 0;
  }
  if (row.begin == row.end || !counts(step, row)) return rows;
  // Of a step that is shorter than a row there is one all the same.
  if (rows.empty() || rows.back().end != row.begin)
    rows.push_back(row);
  else
    rows.back().end = row.end;
  return rows;
}

std::int64_t PowerRows::all_steps() const {
  std::int64_t sum = 0;
  for (const std::int64_t part : steps) sum += part;
  return sum;
}

double PowerRows::step_s() const {
  double sum = 0;
  for (const PowerRow& row : rows) sum += sum_of_parts(row, &PowerRow::seconds);
  return sum / static_cast<double>(std::max<std::int64_t>(1, all_steps()));
}

double PowerRows::step_j() const {
  double sum = 0;
  for (const PowerRow& row : rows) sum += sum_of_parts(row, &PowerRow::joules);
  return sum / static_cast<double>(std::max<std::int64_t>(1, all_steps()));
}

}  // namespace poet
