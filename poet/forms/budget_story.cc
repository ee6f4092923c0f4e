#include "poet/forms/budget_story.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// Of one step: of every form as often as it runs.
struct StepCosts {
  double time_s = 0;
  double plain_s = 0;  // of the step with enough RAM
  double energy_j = 0;
  double plain_j = 0;
  // Of the plan's own forms, as what follows, which may be others by slices or in parts.
  double same_forms_j = 0;
  double stall_s = 0;
  double plain_stall_s = 0;
  double compute_s = 0;
  double plain_compute_s = 0;
  std::int64_t recomputed = 0;
  std::int64_t paged = 0;
  std::int64_t read_again = 0;  // bytes of homes beyond what the plain schedule reads
  bool blocking = false;
};

void add(StepCosts& sum, const Replay& here, const Replay& plain) {
  sum.time_s += here.time_s;
  sum.energy_j += here.energy_j;
  sum.same_forms_j += plain.energy_j;
  sum.stall_s += here.stall_s;
  sum.plain_stall_s += plain.stall_s;
  sum.compute_s += here.compute_s;
  sum.plain_compute_s += plain.compute_s;
  sum.recomputed += here.recomputed_operations;
  sum.paged += here.paged_tensors;
  sum.read_again += here.read_bytes - plain.read_bytes;
}

StepCosts costs_of(const PlannedForms& planned, const std::vector<std::int64_t>& times,
                   const PlainForms& plain_forms) {
  POET_CHECK(plain_forms.time_s.size() == planned.steps.size());
  StepCosts sum;
  for (std::size_t k = 0; k < planned.steps.size(); ++k) {
    if (times[k] == 0) continue;
    const Replay& here = planned.replays[k];
    const Problem& problem = planned.steps[k].plan.problem;
    const Replay plain = plain_replay(problem);
    sum.blocking = problem.time_mode == TimeMode::Blocking;
    for (std::int64_t i = 0; i < times[k]; ++i) {
      add(sum, here, plain);
      sum.plain_s += plain_forms.time_s[k];
      sum.plain_j += plain_forms.energy_j[k];
    }
  }
  return sum;
}

std::string percent(double part) {
  return fmt::format("{:.1f} %", 100 * part);
}

// Of what is beyond rounding.
bool is_more(double here, double plain) {
  return here > plain * (1 + 1e-9);
}

// Beyond three times as much, nobody reckons in percent.
std::string how_much_more(double ratio) {
  return ratio < 3 ? percent(ratio - 1) + " more" : fmt::format("{:.1f} times as much", ratio);
}

std::string difference(const char* unit, double here, double plain) {
  std::string text = fmt::format("{:.3g} {}", here, unit);
  if (is_more(here, plain))
    text += fmt::format(" in place of {:.3g} {} ({})", plain, unit, how_much_more(here / plain));
  return text;
}

// What the plan's own forms take beyond those with enough RAM, and the schedule beyond all the RAM.
std::string causes(const StepCosts& costs) {
  const double recomputing_s = costs.compute_s - costs.plain_compute_s;
  const double waiting_s = costs.stall_s - costs.plain_stall_s;
  std::string text;
  if (is_more(costs.same_forms_j, costs.plain_j))
    text += fmt::format(" The step that fits takes {:.3g} J more than whole operations by itself.",
                        costs.same_forms_j - costs.plain_j);
  if (costs.recomputed > 0)
    text += fmt::format(" {} operation{} computed again, which takes {:.3g} s.", costs.recomputed,
                        costs.recomputed == 1 ? " is" : "s are", recomputing_s);
  if (costs.paged > 0)
    text += fmt::format(" {} tensor{} written to storage and read back.", costs.paged,
                        costs.paged == 1 ? " is" : "s are");
  if (costs.read_again > 0)
    text += fmt::format(
        " {} more are read from storage, because not everything can stay until it is needed.",
        bytes_text(costs.read_again));
  if (is_more(costs.stall_s, costs.plain_stall_s))
    text += fmt::format(" The processor waits {:.3g} s longer for storage.", waiting_s);
  return text;
}

// Transfers beside the processor can hide no more than there is computation to hide them behind.
std::string overlap_help(const StepCosts& costs) {
  const double hidden_s = std::max(costs.compute_s, costs.time_s - costs.compute_s);
  if (!costs.blocking || !(costs.time_s - hidden_s > 0.05 * costs.time_s)) return "";
  return fmt::format(
      " Transfers beside the processor (--io overlapped) could bring a step by this plan down to "
      "{:.3g} s at the best.",
      hidden_s);
}

std::string help(const StepCosts& costs, std::int64_t missing_bytes) {
  std::string text = fmt::format(" With {} more RAM there is a plan that needs nothing of this.",
                                 bytes_text(missing_bytes));
  const double recomputing_s = costs.compute_s - costs.plain_compute_s;
  if (costs.stall_s > recomputing_s && costs.stall_s > 0)
    text += fmt::format(" Faster storage would help{}: {} of the time of a step is waiting for it.",
                        costs.stall_s < costs.time_s / 2 ? "" : " most",
                        percent(costs.stall_s / costs.time_s));
  return text + overlap_help(costs);
}

// The size of the parts that operations are in; none: all are whole.
std::optional<std::int64_t> part_bytes(const PlannedForms& planned) {
  for (const RunnableStep& step : planned.steps)
    if (step.plan.origin.part_bytes) return step.plan.origin.part_bytes;
  return std::nullopt;
}

// Of operations in parts of so many bytes, where nobody asked for these.
std::optional<std::int64_t> chosen_parts(const PlannedForms& planned, const PlainForms& plain) {
  const std::optional<std::int64_t> bytes = part_bytes(planned);
  return bytes == plain.part_bytes ? std::nullopt : bytes;
}

// A split batch is held against itself: whole it might take less.
std::string step_text(std::int64_t micro_batches) {
  return micro_batches > 1 ? fmt::format("a step of {} micro-batches", micro_batches) : "a step";
}

}  // namespace

std::string budget_story(const PlannedForms& planned, const std::vector<std::int64_t>& times,
                         std::int64_t micro_batches, std::int64_t ram_budget_bytes,
                         const PlainForms& plain) {
  const StepCosts costs = costs_of(planned, times, plain);
  const bool costs_more =
      is_more(costs.time_s, costs.plain_s) || is_more(costs.energy_j, costs.plain_j);
  const std::string step = step_text(micro_batches);
  const bool takes_less =
      is_more(costs.plain_s, costs.time_s) || is_more(costs.plain_j, costs.energy_j);
  if (!costs_more)
    return fmt::format(
        "The budget of {} costs nothing: by the plan {} takes {:.3g} s and {:.3g} J, {} with "
        "all the RAM it could use.",
        bytes_text(ram_budget_bytes), step, costs.time_s, costs.energy_j,
        takes_less ? "no more than" : "as");
  const std::string costs_text = difference("s", costs.time_s, costs.plain_s) + ", and " +
                                 difference("J", costs.energy_j, costs.plain_j);
  // By its sizes, that is: addresses may leave gaps.
  if (plain.peak_bytes <= ram_budget_bytes)
    return fmt::format("Everything could be kept in the budget of {}; by the plan {} takes {}.",
                       bytes_text(ram_budget_bytes), step, costs_text) +
           causes(costs);
  const std::optional<std::int64_t> parts = chosen_parts(planned, plain);
  return fmt::format(
             "Keeping everything would take {}, and the budget is {}{} the plan {} takes {}{}.",
             bytes_text(plain.peak_bytes), grouped_digits(ram_budget_bytes),
             parts ? fmt::format(": operations are in parts (--parts {}). By", *parts) : ". So by",
             step, costs_text,
             parts ? ", held against whole operations in all the RAM that they need" : "") +
         causes(costs) + help(costs, plain.peak_bytes - ram_budget_bytes);
}

}  // namespace poet
