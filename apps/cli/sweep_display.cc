#include "apps/cli/sweep_display.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/message_text.h"

namespace poet::cli {
namespace {

constexpr std::size_t kShown = 2;

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

}  // namespace poet::cli
