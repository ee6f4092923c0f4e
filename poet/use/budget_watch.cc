#include "poet/use/budget_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "poet/base/byte_text.h"
#include "poet/base/check.h"
#include "poet/base/message_text.h"

namespace poet {

std::vector<std::int64_t> budget_levels(std::int64_t most_bytes, std::int64_t least_bytes,
                                        std::int64_t levels, std::int64_t piece_bytes) {
  POET_CHECK(levels >= 2 && least_bytes > 0 && least_bytes < most_bytes);
  const double ratio = static_cast<double>(least_bytes) / static_cast<double>(most_bytes);
  std::vector<std::int64_t> list = {most_bytes};
  for (std::int64_t k = 1; k + 1 < levels; ++k) {
    const double part = std::pow(ratio, static_cast<double>(k) / static_cast<double>(levels - 1));
    const auto bytes = static_cast<std::int64_t>(static_cast<double>(most_bytes) * part);
    const std::int64_t whole_bytes = bytes / piece_bytes * piece_bytes;
    if (whole_bytes > least_bytes && whole_bytes < list.back()) list.push_back(whole_bytes);
  }
  list.push_back(least_bytes);
  return list;
}

std::size_t level_within(std::span<const std::int64_t> levels, std::int64_t bytes) {
  for (std::size_t k = 0; k + 1 < levels.size(); ++k)
    if (levels[k] <= bytes) return k;
  return levels.size() - 1;
}

namespace {

// The pressure is a mean over 10 s: what a move changed shows only after that. What was given up
// comes back more slowly, so that two programs do not take turns.
constexpr double kBeforeLess_s = 10;
constexpr double kBeforeMore_s = 60;

// More is no size.
constexpr std::size_t kLongestControlBytes = 64;

// Nothing where there is none.
std::optional<std::string> first_line(const std::string& path) {
  std::error_code code;
  // Nobody waits for somebody who may never write into a pipe.
  if (!std::filesystem::is_regular_file(path, code)) return std::nullopt;
  std::ifstream file(path);
  std::string text(kLongestControlBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  text.resize(std::min(text.find_first_of("\r\n"), text.size()));
  return text;
}

}  // namespace

void BudgetWatch::read_control() {
  if (!wishes_.control_path) return;
  const std::optional<std::string> text = first_line(*wishes_.control_path);
  if (!text || text->empty()) {  // gone, or about to be written
    if (!text) control_bytes_.reset();
    return;
  }
  const Result<std::int64_t> bytes = parse_bytes(*text);
  if (bytes.ok()) {
    control_bytes_ = *bytes;
    bad_control_.clear();
    return;
  }
  if (*text == bad_control_) return;
  bad_control_ = *text;
  notes_.push_back(fmt::format("{} says {}, which is not a size such as 512MiB: the budget stays",
                               in_quotes(*wishes_.control_path), in_quotes(*text)));
}

std::size_t BudgetWatch::pressure_level(std::size_t levels) {
  if (!wishes_.pressure_percent || !wishes_.clock_s) return 0;
  const std::optional<double> percent = memory_pressure_percent(wishes_.files);
  if (!percent) return 0;
  const double now_s = wishes_.clock_s();
  const double since_s = pressure_moved_s_ ? now_s - *pressure_moved_s_ : kBeforeMore_s;
  if (*percent >= *wishes_.pressure_percent && since_s >= kBeforeLess_s &&
      pressure_level_ + 1 < levels) {
    ++pressure_level_;
    pressure_moved_s_ = now_s;
  } else if (*percent == 0 && since_s >= kBeforeMore_s && pressure_level_ > 0) {
    --pressure_level_;
    pressure_moved_s_ = now_s;
  }
  return pressure_level_;
}

// Once for each size: the file is looked at between any two steps.
void BudgetWatch::tell_below_least(std::int64_t least_bytes) {
  if (!control_bytes_ || *control_bytes_ >= least_bytes || control_bytes_ == told_below_) return;
  told_below_ = control_bytes_;
  notes_.push_back(fmt::format(
      "{} asks for {}, and the least of the budgets is {}: the training goes on in that",
      in_quotes(*wishes_.control_path), bytes_text(*control_bytes_), bytes_text(least_bytes)));
}

std::size_t BudgetWatch::level(std::span<const std::int64_t> levels, std::int64_t overhead_bytes) {
  read_control();
  tell_below_least(levels.back());
  std::size_t level = pressure_level(levels.size());
  if (wishes_.asked_level) level = std::max(level, wishes_.asked_level(levels.size()));
  if (control_bytes_) level = std::max(level, level_within(levels, *control_bytes_));
  if (wishes_.follows_limits)
    if (const std::optional<std::int64_t> bytes = memory_limit_bytes(wishes_.files))
      level = std::max(level, level_within(levels, *bytes - overhead_bytes));
  return std::min(level, levels.size() - 1);
}

std::vector<std::string> BudgetWatch::take_notes() {
  return std::exchange(notes_, {});
}

}  // namespace poet
