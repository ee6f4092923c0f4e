#include "poet/tell/step_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "poet/base/json_out.h"
#include "poet/cost/cost_table.h"

namespace poet {

JsonOut costs_json(const std::string& costs) {
  return costs.empty() ? JsonOut(nullptr) : JsonOut(costs);
}

std::string costs_line(const std::string& costs) {
  return costs.empty() || costs == to_text(CostSource())
             ? ""
             : fmt::format("  {:<12}{}\n", "costs", costs);
}

std::string updates_text(const StepUpdates& updates) {
  if (!updates.asked) return "";
  if (updates.sliced.empty())
    return *updates.asked == Updates::Auto ? "auto: no slices, as separate updates fit"
                                           : std::string(name_of(kUpdates, *updates.asked));
  return fmt::format("{}: by slices for {}", name_of(kUpdates, *updates.asked),
                     fmt::join(updates.sliced, ", "));
}

std::string updates_line(const StepUpdates& updates) {
  const std::string text = updates_text(updates);
  return text.empty() ? text : fmt::format("  {:<12}{}\n", "updates", text);
}

JsonOut updates_json(const StepUpdates& updates) {
  if (!updates.asked) return nullptr;
  return {{"asked", name_of(kUpdates, *updates.asked)}, {"sliced", updates.sliced}};
}

}  // namespace poet
