#include "poet/tell/step_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/cost/cost_table.h"
#include "poet/problem/facts.h"
#include "poet/report/figure_text.h"

namespace poet {

JsonOut costs_json(const std::string& costs) {
  return costs.empty() ? JsonOut(nullptr) : JsonOut(costs);
}

std::string costs_line(const std::string& costs) {
  return costs.empty() || costs == to_text(CostSource())
             ? ""
             : fmt::format("  {:<12}{}\n", "costs", costs);
}

void add_memories(JsonOut& out, const Problem& problem, const Replay& replay) {
  if (problem.further_memories.empty()) return;
  out["access_j"] = knows_energies(problem) ? JsonOut(replay.access_j) : JsonOut(nullptr);
  out["access_s"] = replay.access_s;
  JsonOut& memories = out["further_memories"] = JsonOut::array();
  for (std::size_t m = 0; m < problem.further_memories.size(); ++m)
    memories.push_back({{"name", problem.further_memories[m].name},
                        {"size_bytes", problem.further_memories[m].size_bytes},
                        {"peak_bytes", replay.further_peak_bytes[m]}});
}

void add_uncertainty(JsonOut& out, const Problem& problem, const std::optional<WorstCase>& worst) {
  if (!problem.uncertainty) return;
  out["uncertainty"] = {{"ratio", problem.uncertainty->ratio},
                        {"deviations", or_null(problem.uncertainty->deviations)},
                        {"figures_deadline_s", or_null(problem.deadline_s)},
                        {"time_s", worst ? JsonOut(worst->time_s) : JsonOut(nullptr)},
                        {"energy_j", worst ? JsonOut(worst->energy_j) : JsonOut(nullptr)}};
}

namespace {

JsonOut tried_json(const std::vector<TriedLevel>& levels) {
  JsonOut tried = JsonOut::array();
  for (const TriedLevel& level : levels) {
    JsonOut one = {{"part_bytes", level.part_bytes}};
    if (level.operations > 0) {
      one["operations"] = level.operations;
      one["least_bytes"] = level.least_bytes;
    }
    one["objective"] = or_null(level.objective);
    if (!level.why_not.empty()) one["why_not"] = level.why_not;
    tried.push_back(std::move(one));
  }
  return tried;
}

// A few of a long list, and how many more.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "),
                     count_figure(static_cast<std::int64_t>(names.size() - kMost)));
}

}  // namespace

std::string updates_text(const StepUpdates& updates) {
  if (!updates.asked) return "";
  if (updates.sliced.empty())
    return *updates.asked == Updates::Auto ? "auto: no slices, as separate updates fit"
                                           : std::string(name_of(kUpdates, *updates.asked));
  return fmt::format("{}: by slices for {}", name_of(kUpdates, *updates.asked),
                     some_of(updates.sliced));
}

std::string updates_line(const StepUpdates& updates) {
  const std::string text = updates_text(updates);
  return text.empty() ? text : fmt::format("  {:<12}{}\n", "updates", text);
}

JsonOut updates_json(const StepUpdates& updates) {
  if (!updates.asked) return nullptr;
  return {{"asked", name_of(kUpdates, *updates.asked)}, {"sliced", updates.sliced}};
}

std::string parts_text(const StepParts& parts) {
  if (!parts.part_bytes) return "";
  std::string text = parts.by_budget ? "auto: " : "";
  text += parts.cuts ? fmt::format("{} of at most {}", counted(parts.operations, "operation"),
                                   size_figure(*parts.part_bytes))
                     : fmt::format("none, as no operation needs more than {}",
                                   size_figure(*parts.part_bytes));
  if (parts.tried.size() > 1)
    text += fmt::format("; {} sizes were tried", count_figure(std::ssize(parts.tried)));
  return text;
}

std::string parts_line(const StepParts& parts) {
  const std::string text = parts_text(parts);
  return text.empty() ? text : fmt::format("  {:<12}{}\n", "parts", text);
}

std::string order_line(const StepOrder& order, const Problem& problem) {
  if (order.of_start) return fmt::format("  {:<12}{}\n", "order", "that of the plan to begin with");
  if (!order.by_budget) return "";
  std::string text = "that which moves least in this budget";
  if (order.objective && order.lowest_peak_objective) {
    const bool energy = problem.objective == Objective::Energy;
    const auto amount = [energy](double value) {
      return energy ? energy_figure(value) : time_figure(value);
    };
    text += fmt::format("; short searches found {} for it, and {} in the one with the lowest peak",
                        amount(*order.objective), amount(*order.lowest_peak_objective));
  }
  return fmt::format("  {:<12}{}\n", "order", text);
}

std::string choice_line(const StepChoice& choice, const Problem& problem) {
  if (!choice.is_tried) return "";
  if (!choice.is_other)
    return fmt::format("  {:<12}{}\n", "step", "none that was tried beside this one costs less");
  const bool energy = problem.objective == Objective::Energy;
  const auto amount = [energy](double value) {
    return energy ? energy_figure(value) : time_figure(value);
  };
  return fmt::format(
      "  {:<12}short searches found {} for this one, and {} for whole operations "
      "with as few updates by slices as fit\n",
      "step", amount(*choice.objective), amount(*choice.fitting_objective));
}

JsonOut choice_json(const StepChoice& choice) {
  if (!choice.is_tried) return nullptr;
  return {{"is_other", choice.is_other},
          {"objective", or_null(choice.objective)},
          {"fitting_objective", or_null(choice.fitting_objective)},
          {"tried", tried_json(choice.parts)}};
}

JsonOut order_json(const StepOrder& order) {
  if (!order.is_tried && !order.of_start) return nullptr;
  return {{"by_budget", order.by_budget},
          {"of_start", order.of_start},
          {"objective", or_null(order.objective)},
          {"lowest_peak_objective", or_null(order.lowest_peak_objective)}};
}

std::string least_traffic_text(const StepParts& parts, std::int64_t memory_bytes) {
  if (!parts.homes) return "";
  return fmt::format("no way of cutting reads less than {} B or writes less than {} B",
                     count_figure(least_read_bytes(*parts.homes, memory_bytes)),
                     count_figure(least_written_bytes(*parts.homes, memory_bytes)));
}

std::string least_traffic_line(const StepParts& parts, std::int64_t memory_bytes) {
  const std::string text = least_traffic_text(parts, memory_bytes);
  return text.empty() ? text : fmt::format("  {:<12}{}\n", "traffic", text);
}

JsonOut parts_json(const StepParts& parts, std::optional<std::int64_t> memory_bytes) {
  if (parts.operations == 0) return nullptr;
  const char* const word = parts.part_bytes ? "level" : "whole";
  JsonOut out = {{"asked", parts.by_budget ? "auto" : word},
                 {"part_bytes", or_null(parts.part_bytes)},
                 {"operations", parts.operations},
                 {"tried", tried_json(parts.tried)}};
  if (parts.homes && memory_bytes) {
    out["least_read_bytes"] = least_read_bytes(*parts.homes, *memory_bytes);
    out["least_written_bytes"] = least_written_bytes(*parts.homes, *memory_bytes);
  }
  return out;
}

namespace {

std::string in_parts_text(const StepParts& parts) {
  return fmt::format("in parts of at most {} bytes", grouped_digits(*parts.part_bytes));
}

}  // namespace

std::string step_scope_text(const StepUpdates& updates, const StepParts& parts) {
  if (!parts.by_budget && updates.asked != Updates::Auto) return "";
  std::string text = parts.part_bytes ? fmt::format("; of operations {}", in_parts_text(parts))
                                      : fmt::format("; of {}", kWholeOperations);
  if (updates.asked == Updates::Auto || updates.asked == Updates::Separate)
    text +=
        updates.sliced.empty() ? " and separate updates" : " and the updates by slices chosen here";
  return text + " alone";
}

const char* step_scope_name(const StepUpdates& updates, const StepParts& parts) {
  return step_scope_text(updates, parts).empty() ? "all-steps" : "this-step";
}

std::string parts_scope_text(const StepParts& parts) {
  if (parts.part_bytes) return " " + in_parts_text(parts);
  return parts.by_budget ? fmt::format(" of {}", kWholeOperations) : "";
}

std::string schedule_scope_text(const StepUpdates& updates, const StepParts& parts) {
  std::string text = parts_scope_text(parts);
  const bool says_which =
      updates.asked == Updates::Auto || (updates.asked == Updates::Separate && parts.by_budget);
  if (says_which && !parts.part_bytes)
    text += updates.sliced.empty() ? " with separate updates" : " with these updates by slices";
  return text;
}

std::string untried_text(const StepUpdates& updates, const StepParts& parts,
                         const StepChoice& choice) {
  if (parts.part_bytes || (choice.is_tried && !choice.of_updates_alone)) return "";
  std::vector<std::string> ways;
  if (updates.asked == Updates::Auto && !choice.is_tried)
    ways.push_back(fmt::format("{}updates by slices (--updates sliced)",
                               updates.sliced.empty() ? "" : "more "));
  if (parts.by_budget) ways.emplace_back("operations in parts (such as --parts 64KiB)");
  return fmt::format("{}", fmt::join(ways, ", "));
}

}  // namespace poet
