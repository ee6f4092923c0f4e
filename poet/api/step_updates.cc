#include "poet/api/step_updates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "poet/base/json_out.h"

namespace poet {

StepUpdates updates_of(const Graph& graph, Updates asked) {
  std::set<std::string> names;
  for (const GraphOperation& operation : graph.operations)
    if (operation.kind == Operator::WeightUpdate)
      names.insert(at(graph.tensors, operation.inputs[0]).name);
  return {.asked = asked, .sliced = {names.begin(), names.end()}};
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
