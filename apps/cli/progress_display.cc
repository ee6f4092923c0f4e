#include "apps/cli/progress_display.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "apps/cli/answer.h"
#include "poet/base/message_text.h"

namespace poet::cli {
namespace {

constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::seconds kLinePeriod{2};
constexpr int kBarWidth = 10;
constexpr std::size_t kAnyColumns = 1000;  // of a log

// A line that wraps cannot be rewritten.
std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 80;
  return size.ws_col;
}

std::string amount(double value, const std::string& unit) {
  if (unit == "B") return grouped_digits(std::llround(value)) + " B";
  return fmt::format("{:.7g}{}{}", value, unit.empty() ? "" : " ", unit);
}

// How long it may be waited for.
std::string at_most_text(double limit_s) {
  return std::isfinite(limit_s) && limit_s > 0 ? fmt::format(" of up to {:g} s", limit_s) : "";
}

constexpr double kTerminalEvery_s = 0.25, kLinesEvery_s = 10;
constexpr std::size_t kColumns = 78;

}  // namespace

ProgressState after(ProgressState state, const SolveProgress& news) {
  if (news.search_unit)
    state = {.unit = std::string(*news.search_unit), .is_search = !news.search_unit->empty()};
  state.phase = std::string(news.phase);
  if (news.incumbent) state.incumbent = news.incumbent;
  if (news.bound) state.bound = news.bound;
  return state;
}

std::string progress_text(const ProgressState& state, std::size_t columns) {
  if (!state.is_search) return state.phase.size() <= columns ? state.phase : "";
  const std::string& unit = state.unit;
  const std::string phase = state.phase + "  ";
  const std::string best =
      state.incumbent ? "best " + amount(*state.incumbent, unit) : std::string("no schedule yet");
  const std::string bound = state.bound ? ", bound " + amount(*state.bound, unit) : std::string();
  std::string gap;
  if (state.incumbent && state.bound && *state.incumbent > 0)
    gap = fmt::format(", gap {:.2f} %",
                      100 * std::max(0.0, *state.incumbent - *state.bound) / *state.incumbent);
  for (const std::string& text :
       {phase + best + bound + gap, best + bound + gap, phase + best + gap, best + gap, best})
    if (text.size() <= columns) return text;
  return "";
}

std::string progress_bar(double part) {
  const int filled = static_cast<int>(
      std::lround(kBarWidth * std::clamp(std::isnan(part) ? 0.0 : part, 0.0, 1.0)));
  return "[" + std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kBarWidth - filled), ' ') + "]";
}

ProgressDisplay::ProgressDisplay(Options options) : options_(std::move(options)) {
  state_.phase = "preparing";
  if (options_.style != ProgressStyle::None)
    shower_ = std::jthread([this](std::stop_token stop) { show_until(std::move(stop)); });
}

ProgressDisplay::~ProgressDisplay() {
  if (shower_.joinable()) {
    shower_.request_stop();
    shower_.join();
  }
  if (line_open_) std::fputs("\r\033[K", stderr);
}

void ProgressDisplay::update(const SolveProgress& progress) {
  const std::lock_guard<std::mutex> lock(mutex_);
  state_ = after(std::move(state_), progress);
}

void ProgressDisplay::aside(const std::function<void()>& write) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (line_open_) std::fputs("\r\033[K", stderr);
  line_open_ = false;
  write();
}

void ProgressDisplay::show_until(std::stop_token stop) {
  const auto period = options_.style == ProgressStyle::Terminal
                          ? kTerminalPeriod
                          : std::chrono::milliseconds(kLinePeriod);
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait_for(lock, stop, period, [] { return false; });
    if (stop.stop_requested()) return;
    show_line();
  }
}

void ProgressDisplay::show_line() {
  if (options_.style == ProgressStyle::Terminal) {
    tell(fmt::format("\r\033[K{}", line(terminal_columns() - 1)));
    line_open_ = true;
  } else {
    tell(fmt::format("{}\n", line(kAnyColumns)));
  }
}

std::string ProgressDisplay::line(std::size_t columns) const {
  const double now_s = options_.elapsed_s();
  const std::string start =
      options_.style == ProgressStyle::Lines
          ? fmt::format("{:6.1f} s{}  ", now_s, at_most_text(options_.limit_s))
          : fmt::format("{} {:.1f} s{}  ", progress_bar(now_s / options_.limit_s), now_s,
                        at_most_text(options_.limit_s));
  if (start.size() > columns) return "";
  return start + progress_text(state_, columns - start.size());
}

LineDisplay::~LineDisplay() {
  if (line_open_) tell("\r\033[K");
}

void LineDisplay::update(const std::function<std::string()>& line) {
  if (style_ == ProgressStyle::None || elapsed_s_() < next_s_) return;
  const std::string text = fmt::format("{:.0f} s: {}", elapsed_s_(), line());
  if (style_ == ProgressStyle::Terminal) {
    tell(fmt::format("\r\033[K{}", text.substr(0, kColumns)));
    line_open_ = true;
    next_s_ = elapsed_s_() + kTerminalEvery_s;
  } else {
    tell(fmt::format("{}\n", text));
    next_s_ = elapsed_s_() + kLinesEvery_s;
  }
}

}  // namespace poet::cli
