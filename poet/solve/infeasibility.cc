#include "poet/solve/infeasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "poet/base/duration_text.h"
#include "poet/base/message_text.h"
#include "poet/problem/facts.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/greedy_paging.h"

namespace poet {
namespace {

constexpr double kDeadlineTolerance = 1e-9;
// Budgets at which paging is tried, each halving what is open.
constexpr int kPagingTries = 12;
// Budgets at which any schedule is looked for, and the gap that makes any schedule good enough.
constexpr int kBudgetTries = 40;
constexpr double kAnyGap = 1e9;

std::string bytes_text(std::int64_t bytes) {
  return grouped_digits(bytes) + (bytes == 1 ? " byte" : " bytes");
}

bool keeps(double deadline_s, double time_s) {
  return time_s <= deadline_s * (1 + kDeadlineTolerance);
}

// Whether paging alone attains the largest working set: nothing but RAM can be in the way, and no
// operation's figure rests on a tensor being resident.
bool only_ram_binds(const Problem& problem) {
  for (const Tensor& tensor : problem.tensors)
    if (tensor.may_be_resident) return false;
  const bool time_binds = problem.deadline_s && (problem.time_mode != TimeMode::Free ||
                                                 unavoidable(problem).time_s > *problem.deadline_s);
  return problem.paging_allowed && !time_binds && !problem.storage_capacity_bytes &&
         !problem.write_budget_bytes;
}

// RAM and time of a schedule that is there without a search.
struct AtHand {
  std::int64_t ram_bytes = 0;
  double time_s = 0;
};

// Nothing when the schedule breaks a limit other than that on RAM.
std::optional<AtHand> at_hand(const Problem& problem, Step step,
                              const std::optional<EventChoice>& choice) {
  if (!choice) return std::nullopt;
  const ChoiceFigures figures = figures_of(step, without_waste(step, *choice));
  step.budget_bytes = std::max(step.budget_bytes, figures.peak_bytes);
  if (!keeps_budgets(step, figures)) return std::nullopt;
  return AtHand{resident_bytes(problem) + figures.peak_bytes, figures.time_s};
}

// The schedule that keeps everything.
std::optional<AtHand> plain_at_hand(const Problem& problem, const Step& step) {
  return at_hand(problem, step, from_schedule(problem, step, plain_schedule(problem)));
}

// A schedule in little RAM that keeps every other limit: paging where it will do, or else keeping
// everything.
std::optional<AtHand> small_at_hand(const Problem& problem) {
  Step step = make_step(problem);
  std::optional<AtHand> best = plain_at_hand(problem, step);
  std::int64_t least = largest_working_set(problem).bytes;
  std::int64_t most = best ? best->ram_bytes : plain_peak_bytes(problem);
  for (int i = 0; i < kPagingTries && least < most; ++i) {
    const std::int64_t budget_bytes = i == 0 ? least : least + (most - least) / 2;
    step.budget_bytes = budget_bytes - resident_bytes(problem);
    const std::optional<AtHand> found = at_hand(problem, step, greedy_paging(step));
    if (found && (!best || found->ram_bytes < best->ram_bytes)) best = found;
    (found ? most : least) = budget_bytes;
  }
  return best;
}

// The quicker of keeping everything and paging, with the RAM that there is and no deadline.
std::optional<double> quick_time_s(Problem problem) {
  problem.objective = Objective::Time;
  problem.deadline_s.reset();
  const Step step = make_step(problem);
  std::optional<AtHand> best = at_hand(problem, step, greedy_paging(step));
  const std::optional<AtHand> plain = plain_at_hand(problem, step);
  if (plain && plain->ram_bytes <= problem.ram_budget_bytes &&
      (!best || plain->time_s < best->time_s))
    best = plain;
  return best ? std::optional(best->time_s) : std::nullopt;
}

std::string budget_clause(const Infeasibility& no) {
  if (!no.least_budget_bytes) return "";
  if (no.least_budget_bytes == no.working_budget_bytes)
    return "the smallest budget that works is " + bytes_text(*no.least_budget_bytes);
  std::string text = fmt::format("no budget below {} works", bytes_text(*no.least_budget_bytes));
  if (no.working_budget_bytes)
    text +=
        fmt::format(", and {} is the smallest found to work", bytes_text(*no.working_budget_bytes));
  return text;
}

std::string time_clause(const Infeasibility& no) {
  if (!no.least_time_s) return "";
  if (no.working_time_s && keeps(*no.least_time_s, *no.working_time_s))
    return "the shortest deadline that works is " + exact_seconds(*no.least_time_s);
  std::string text = fmt::format("no deadline below {} works", exact_seconds(*no.least_time_s));
  if (no.working_time_s)
    text +=
        fmt::format(", and {} is the shortest found to work", exact_seconds(*no.working_time_s));
  return text;
}

// With what the other limits would have to be, where they are impossible too.
Problem with_possible_deadline(Problem problem) {
  const double least_s = unavoidable(problem).time_s;
  if (problem.deadline_s && !keeps(*problem.deadline_s, least_s)) problem.deadline_s = least_s;
  return problem;
}

std::string working_set_reason(const Problem& problem, const Infeasibility& no) {
  return fmt::format(
      "operation '{}' alone needs {} of RAM for its inputs, outputs and workspace, and the "
      "budget is {}; {}",
      at(problem.operations, *no.operation).name, bytes_text(no.working_set_bytes),
      bytes_text(problem.ram_budget_bytes), budget_clause(no));
}

std::optional<Infeasibility> working_set_above_budget(const Problem& asked) {
  const WorkingSet largest = largest_working_set(asked);
  if (largest.bytes <= asked.ram_budget_bytes) return std::nullopt;
  const Problem problem = with_possible_deadline(asked);
  Infeasibility no;
  no.kind = Infeasibility::Kind::RamBudget;
  no.operation = largest.operation;
  no.working_set_bytes = largest.bytes;
  no.least_budget_bytes = largest.bytes;
  if (only_ram_binds(problem))
    no.working_budget_bytes = largest.bytes;
  else if (const std::optional<AtHand> found = small_at_hand(problem))
    no.working_budget_bytes = found->ram_bytes;
  no.reason = working_set_reason(problem, no);
  return no;
}

// The RAM budget is raised first where it is impossible too.
std::optional<double> some_time_s(Problem problem) {
  const WorkingSet largest = largest_working_set(problem);
  problem = with_possible_deadline(std::move(problem));
  const bool room = largest.bytes <= problem.ram_budget_bytes;
  if (only_ram_binds(problem)) return problem.deadline_s;
  if (room) return quick_time_s(std::move(problem));
  const std::optional<AtHand> found = small_at_hand(problem);
  return found ? std::optional(found->time_s) : std::nullopt;
}

std::optional<Infeasibility> deadline_too_short(const Problem& problem) {
  if (!problem.deadline_s) return std::nullopt;
  const double least_s = unavoidable(problem).time_s;
  if (keeps(*problem.deadline_s, least_s)) return std::nullopt;
  Infeasibility no;
  no.kind = Infeasibility::Kind::Deadline;
  no.least_time_s = least_s;
  no.working_time_s = some_time_s(problem);
  no.reason = fmt::format(
      "one execution of every operation{} takes {}, and the deadline is {}; {}",
      problem.time_mode == TimeMode::Blocking ? " with the transfers that no schedule can avoid"
                                              : "",
      exact_seconds(least_s), exact_seconds(*problem.deadline_s), time_clause(no));
  return no;
}

std::optional<Infeasibility> homes_above_capacity(const Problem& problem) {
  if (!problem.storage_capacity_bytes) return std::nullopt;
  std::int64_t bytes = 0;
  for (const Tensor& tensor : problem.tensors)
    if (tensor.home == Home::Storage && !tensor.view_of) bytes += tensor.size_bytes;
  if (bytes <= *problem.storage_capacity_bytes) return std::nullopt;
  Infeasibility no;
  no.kind = Infeasibility::Kind::StorageCapacity;
  no.reason = fmt::format("the tensors that are at home in storage take {}, and its capacity is {}",
                          bytes_text(bytes), bytes_text(*problem.storage_capacity_bytes));
  return no;
}

std::optional<Infeasibility> updates_above_write_budget(const Problem& problem) {
  if (!problem.write_budget_bytes) return std::nullopt;
  std::int64_t bytes = 0;
  for (const Tensor& tensor : problem.tensors) {
    if (!tensor.updates) continue;
    const Tensor& old = at(problem.tensors, *tensor.updates);
    if (old.home == Home::Storage && !old.may_be_resident) bytes += tensor.size_bytes;
  }
  if (bytes <= *problem.write_budget_bytes) return std::nullopt;
  Infeasibility no;
  no.kind = Infeasibility::Kind::WriteBudget;
  no.reason =
      fmt::format("the updated tensors must be written back, {}, and the write budget is {}",
                  bytes_text(bytes), bytes_text(*problem.write_budget_bytes));
  return no;
}

// What two limits that are impossible each on its own say together: nothing that gives way on one
// alone works.
Infeasibility both(Infeasibility first, const Infeasibility& second) {
  first.kind = Infeasibility::Kind::Combined;
  first.reason += "; besides, " + second.reason;
  if (second.least_time_s) first.least_time_s = second.least_time_s;
  first.working_budget_bytes.reset();
  first.working_time_s.reset();
  return first;
}

enum class Helps { No, Perhaps };

// Halves what is open between the budgets that are proved too small and those that work. To look
// for any schedule at all in a given budget is far easier than to look for the least budget.
void narrow_budgets(Problem problem, SearchGoal goal, const LinearBackend& backend,
                    const Stop& stop, Infeasibility& no) {
  goal.objective = EventObjective::Cost;
  goal.gap_ratio = kAnyGap;
  std::int64_t low = *no.least_budget_bytes;
  for (int i = 0; i < kBudgetTries && low < *no.working_budget_bytes && !stop.requested(); ++i) {
    const std::int64_t budget_bytes = low + (*no.working_budget_bytes - low) / 2;
    problem.ram_budget_bytes = budget_bytes;
    const Step step = make_step(problem);
    const SearchAnswer answer =
        search_events(step, goal, backend, greedy_paging(step), part_of(stop, 0.3), {});
    if (answer.best)
      no.working_budget_bytes = resident_bytes(problem) + figures_of(step, *answer.best).peak_bytes;
    else
      low = budget_bytes + 1;
    if (answer.infeasible) no.least_budget_bytes = budget_bytes + 1;
  }
}

// The least RAM budget with everything else as it is.
Helps find_least_budget(const Problem& problem, SearchGoal goal, const LinearBackend& backend,
                        const Stop& stop, Infeasibility& no) {
  goal.objective = EventObjective::RamBudget;
  const Step step = make_step(problem);
  const SearchAnswer answer =
      search_events(step, goal, backend, std::nullopt, part_of(stop, 0.5), {});
  if (answer.infeasible) return Helps::No;
  const std::int64_t resident = resident_bytes(problem);
  // Sizes are whole bytes, and this budget is known not to work.
  std::int64_t least = std::max(problem.ram_budget_bytes + 1, largest_working_set(problem).bytes);
  if (std::isfinite(answer.bound))
    least = std::max(least, resident + static_cast<std::int64_t>(std::ceil(answer.bound - 1e-6)));
  if (answer.best) no.working_budget_bytes = resident + static_cast<std::int64_t>(answer.value);
  if (const std::optional<AtHand> found = small_at_hand(problem);
      found && (!no.working_budget_bytes || found->ram_bytes < *no.working_budget_bytes))
    no.working_budget_bytes = found->ram_bytes;
  no.least_budget_bytes = std::min(least, no.working_budget_bytes.value_or(least));
  if (no.working_budget_bytes) narrow_budgets(problem, goal, backend, stop, no);
  return Helps::Perhaps;
}

// The least time with everything else as it is. A figure that is not above the deadline says
// nothing: that no schedule keeps the deadline is proved already.
Helps find_least_time(const Problem& problem, SearchGoal goal, const LinearBackend& backend,
                      const Stop& stop, Infeasibility& no) {
  Problem quickest = problem;
  quickest.objective = Objective::Time;
  quickest.deadline_s.reset();
  const Step step = make_step(quickest);
  goal.unavoidable = unavoidable(quickest).time_s - step.once_cost;
  const SearchAnswer answer = search_events(step, goal, backend, std::nullopt, stop, {});
  if (answer.infeasible) return Helps::No;
  const double bound_s = std::max(unavoidable(problem).time_s, step.once_cost + answer.bound);
  if (answer.best) no.working_time_s = step.once_cost + answer.value;
  if (const std::optional<double> found_s = quick_time_s(problem);
      found_s && (!no.working_time_s || *found_s < *no.working_time_s))
    no.working_time_s = found_s;
  if (no.working_time_s || !keeps(*problem.deadline_s, bound_s))
    no.least_time_s = std::max(bound_s, *problem.deadline_s);
  return Helps::Perhaps;
}

const char* techniques_of(const Problem& problem) {
  if (problem.paging_allowed && problem.rematerialisation_allowed) return "recomputing and paging";
  if (problem.paging_allowed) return "paging alone";
  if (problem.rematerialisation_allowed) return "recomputing alone";
  return "computing everything once, without paging,";
}

std::string reason_of(const Problem& problem, const Infeasibility& no) {
  const std::string ram = bytes_text(problem.ram_budget_bytes) + " of RAM";
  std::string text = fmt::format("{} cannot keep within {}", techniques_of(problem), ram);
  if (!problem.deadline_s) return text + (no.least_budget_bytes ? "; " + budget_clause(no) : "");
  text += " and " + exact_seconds(*problem.deadline_s);
  if (no.least_budget_bytes)
    text += fmt::format("; within {}, {}", exact_seconds(*problem.deadline_s), budget_clause(no));
  if (no.least_time_s) text += fmt::format("; with {}, {}", ram, time_clause(no));
  return text;
}

}  // namespace

std::optional<Infeasibility> plainly_infeasible(const Problem& problem) {
  std::optional<Infeasibility> all;
  for (const auto check : {working_set_above_budget, deadline_too_short, homes_above_capacity,
                           updates_above_write_budget})
    if (std::optional<Infeasibility> no = check(problem))
      all = all ? both(*std::move(all), *no) : std::move(no);
  return all;
}

Infeasibility with_smaller_budget(const Problem& problem, Infeasibility no, const SearchGoal& goal,
                                  const LinearBackend& backend, const Stop& stop) {
  const bool open = no.least_budget_bytes && no.working_budget_bytes &&
                    *no.least_budget_bytes < *no.working_budget_bytes;
  if (no.kind != Infeasibility::Kind::RamBudget || !no.operation || !open) return no;
  narrow_budgets(problem, goal, backend, stop, no);
  no.reason = working_set_reason(problem, no);
  return no;
}

Infeasibility explain_infeasible(const Problem& problem, const SearchGoal& goal,
                                 const LinearBackend& backend, const Stop& stop) {
  Infeasibility no;
  const bool deadline = problem.deadline_s.has_value();
  const Helps ram =
      find_least_budget(problem, goal, backend, deadline ? part_of(stop, 0.7) : stop, no);
  const Helps time = deadline ? find_least_time(problem, goal, backend, stop, no) : Helps::No;
  if (ram == Helps::No && time == Helps::Perhaps)
    no.kind = Infeasibility::Kind::Deadline;
  else if (ram == Helps::Perhaps && time == Helps::No)
    no.kind = Infeasibility::Kind::RamBudget;
  no.reason = reason_of(problem, no);
  return no;
}

}  // namespace poet
