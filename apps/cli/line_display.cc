#include "apps/cli/line_display.h"

#include <fmt/core.h>

#include <cstdio>

#include "apps/cli/tell.h"

namespace poet::cli {
namespace {

constexpr double kTerminalEvery_s = 0.25, kLinesEvery_s = 10;
constexpr std::size_t kColumns = 78;

}  // namespace

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
