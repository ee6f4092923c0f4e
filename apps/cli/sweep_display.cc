#include "apps/cli/sweep_display.h"

#include <fmt/core.h>

#include <cstdio>

#include "poet/base/message_text.h"

namespace poet::cli {
namespace {

constexpr double kTerminalEvery_s = 0.25, kLinesEvery_s = 10;
constexpr std::size_t kShown = 2, kColumns = 78;

}  // namespace

std::string sweep_line(const SweepPlan& plan, const SweepProgress& progress) {
  std::string text = fmt::format("{} of {} points", progress.done, progress.all);
  if (progress.found_before > 0) text += fmt::format(", {} from before", progress.found_before);
  for (std::size_t i = 0; i < std::min(progress.now.size(), kShown); ++i) {
    const SweepPoint& point = plan.points[progress.now[i]];
    const SweepInstance& instance = plan.instances[point.instance];
    text += i == 0 ? "; at work: " : ", ";
    text += fmt::format("{} at {} B", plan.methods[point.method].name,
                        grouped_digits(instance.budgets_bytes[point.budget]));
  }
  return text;
}

SweepDisplay::~SweepDisplay() {
  if (line_open_) fmt::print(stderr, "\r\033[K");
}

void SweepDisplay::update(const SweepPlan& plan, const SweepProgress& progress) {
  if (style_ == ProgressStyle::None || elapsed_s_() < next_s_) return;
  const std::string line = fmt::format("{:.0f} s: {}", elapsed_s_(), sweep_line(plan, progress));
  if (style_ == ProgressStyle::Terminal) {
    fmt::print(stderr, "\r\033[K{}", line.substr(0, kColumns));
    std::fflush(stderr);
    line_open_ = true;
    next_s_ = elapsed_s_() + kTerminalEvery_s;
  } else {
    fmt::print(stderr, "{}\n", line);
    next_s_ = elapsed_s_() + kLinesEvery_s;
  }
}

}  // namespace poet::cli
