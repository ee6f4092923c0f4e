// Why there is no schedule: by arithmetic (docs/model/search.md §7.1), and by searching for what
// would have to give way (§7.2).
#include "poet/solve/infeasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "poet/base/duration_text.h"
#include "poet/base/message_text.h"
#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"
#include "poet/solve/at_hand.h"
#include "poet/solve/budget_solver.h"
#include "poet/solve/least_budget.h"

namespace poet {
namespace {

// Whether paging alone attains the largest working set: nothing but RAM can be in the way, and no
// operation's figure rests on a tensor being resident.
bool only_ram_binds(const Problem& problem) {
  for (const Tensor& tensor : problem.tensors)
    if (tensor.may_be_resident) return false;
  const bool time_binds =
      problem.deadline_s && (problem.time_mode != TimeMode::Free ||
                             !within_deadline(unavoidable(problem).time_s, *problem.deadline_s));
  return problem.paging_allowed && !time_binds && !problem.storage_capacity_bytes &&
         !problem.write_budget_bytes;
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

}  // namespace

std::string deadline_clause(const Infeasibility& no) {
  if (!no.least_time_s)
    return no.working_time_s
               ? fmt::format("a deadline of {} works", exact_seconds(*no.working_time_s))
               : "";
  if (no.working_time_s && within_deadline(*no.working_time_s, *no.least_time_s))
    return "the shortest deadline that works is " + exact_seconds(*no.working_time_s);
  std::string text = fmt::format("no deadline below {} works", exact_seconds(*no.least_time_s));
  if (no.working_time_s)
    text +=
        fmt::format(", and {} is the shortest found to work", exact_seconds(*no.working_time_s));
  return text;
}

namespace {

// With what the other limits would have to be, where they are impossible too.
Problem with_possible_deadline(Problem problem) {
  const double least_s = unavoidable(problem).time_s;
  if (problem.deadline_s && !within_deadline(least_s, *problem.deadline_s))
    problem.deadline_s = least_s;
  return problem;
}

// The working set has what stays in RAM in it, beside what the operation itself takes.
std::string working_set_reason(const Problem& problem, const Infeasibility& no) {
  const std::int64_t stay_bytes = resident_bytes(problem);
  return fmt::format(
      "operation '{}' alone needs {} of RAM for its inputs, outputs and workspace{}, and the "
      "budget is {}{}",
      one_line(at(problem.operations, *no.operation).name),
      bytes_text(no.working_set_bytes - stay_bytes),
      stay_bytes > 0 ? fmt::format(", beside {} of what stays in RAM", bytes_text(stay_bytes)) : "",
      bytes_text(problem.ram_budget_bytes), no.least_budget_bytes ? "; " + budget_clause(no) : "");
}

std::optional<Infeasibility> working_set_above_budget(const Problem& asked, WhatWorks works) {
  const WorkingSet largest = largest_working_set(asked);
  if (largest.bytes <= asked.ram_budget_bytes) return std::nullopt;
  const Problem problem = with_possible_deadline(asked);
  Infeasibility no;
  no.kind = Infeasibility::Kind::RamBudget;
  no.operation = largest.operation;
  no.working_set_bytes = largest.bytes;
  no.least_budget_bytes = largest.bytes;
  if (works == WhatWorks::IsLeftOut)
    no.working_budget_bytes.reset();
  else if (only_ram_binds(problem))
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
  const std::optional<AtHand> found =
      room ? quick_at_hand(std::move(problem)) : small_at_hand(problem);
  return found ? std::optional(found->time_s) : std::nullopt;
}

std::string deadline_reason(const Problem& problem, const Infeasibility& no) {
  const std::string clause = deadline_clause(no);
  return fmt::format(
      "one execution of every operation{} takes {}, and the deadline is {}{}{}",
      problem.time_mode == TimeMode::Free ? "" : " with the transfers that no schedule can avoid",
      exact_seconds(unavoidable(problem).time_s), exact_seconds(*problem.deadline_s),
      clause.empty() ? "" : "; ", clause);
}

std::optional<Infeasibility> deadline_too_short(const Problem& problem, WhatWorks works) {
  if (!problem.deadline_s) return std::nullopt;
  const double least_s = unavoidable(problem).time_s;
  if (within_deadline(least_s, *problem.deadline_s)) return std::nullopt;
  Infeasibility no;
  no.kind = Infeasibility::Kind::Deadline;
  no.least_time_s = least_s;
  if (works == WhatWorks::IsNamed) no.working_time_s = some_time_s(problem);
  no.reason = deadline_reason(problem, no);
  return no;
}

std::optional<Infeasibility> homes_above_capacity(const Problem& problem, WhatWorks) {
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

std::optional<Infeasibility> updates_above_write_budget(const Problem& problem, WhatWorks) {
  if (!problem.write_budget_bytes) return std::nullopt;
  const std::int64_t bytes = unavoidable_written_bytes(problem);
  if (bytes <= *problem.write_budget_bytes) return std::nullopt;
  Infeasibility no;
  no.kind = Infeasibility::Kind::WriteBudget;
  no.reason =
      fmt::format("the updated tensors must be written back, {}, and the write budget is {}",
                  bytes_text(bytes), bytes_text(*problem.write_budget_bytes));
  return no;
}

const char* techniques_of(const Problem& problem) {
  if (problem.paging_allowed && problem.rematerialisation_allowed) return "recomputing and paging";
  if (problem.paging_allowed) return "paging alone";
  if (problem.rematerialisation_allowed) return "recomputing alone";
  return "computing everything once, without paging,";
}

// Where nothing may be recomputed or moved there is one schedule, and its peak is what RAM has to
// be. The sums say so beside another limit only (alone, it is the search's to say), and where no
// operation has too little by itself.
std::optional<Infeasibility> only_schedule_above_budget(const Problem& problem, WhatWorks) {
  if (problem.paging_allowed || problem.rematerialisation_allowed ||
      !problem.further_memories.empty() ||
      largest_working_set(problem).bytes > problem.ram_budget_bytes)
    return std::nullopt;
  for (const Tensor& tensor : problem.tensors)
    if (tensor.home == Home::Storage) return std::nullopt;  // may leave, and be read again
  const std::int64_t peak_bytes = plain_peak_bytes(problem);
  if (peak_bytes <= problem.ram_budget_bytes) return std::nullopt;
  Infeasibility no;
  no.kind = Infeasibility::Kind::RamBudget;
  no.least_budget_bytes = peak_bytes;
  no.working_budget_bytes = peak_bytes;
  no.reason = fmt::format("{} cannot keep within {} of RAM: it needs {}", techniques_of(problem),
                          bytes_text(problem.ram_budget_bytes), bytes_text(peak_bytes));
  return no;
}

constexpr const char* kBesides = "; besides, ";

// The last is looked at beside another only.
constexpr std::array kLimits = {working_set_above_budget, deadline_too_short, homes_above_capacity,
                                updates_above_write_budget, only_schedule_above_budget};

std::string together_clause(const Problem& problem, const Infeasibility& no) {
  if (!no.budget_of_least_time_bytes) return "";
  return fmt::format("; {} of RAM and {} work together", bytes_text(*no.budget_of_least_time_bytes),
                     exact_seconds(unavoidable(problem).time_s));
}

// What limits that are impossible each on its own say together: nothing that gives way on one alone
// works.
Infeasibility all_of(const Problem& problem, const std::vector<Infeasibility>& limits) {
  Infeasibility all = limits.front();
  all.kind = Infeasibility::Kind::Combined;
  const bool are_ram_and_time = limits.size() == 2 && all.operation && limits[1].least_time_s;
  if (are_ram_and_time && !(problem.uncertainty && problem.uncertainty->deadline_s))
    all.budget_of_least_time_bytes = all.working_budget_bytes;
  all.working_budget_bytes.reset();
  all.working_time_s.reset();
  all.reason.clear();
  for (const Infeasibility& limit : limits) {
    if (limit.least_time_s) all.least_time_s = limit.least_time_s;
    if (limit.least_budget_bytes) all.least_budget_bytes = limit.least_budget_bytes;
  }
  for (const auto check : kLimits)
    if (const std::optional<Infeasibility> no = check(problem, WhatWorks::IsLeftOut))
      all.reason += (all.reason.empty() ? "" : kBesides) + no->reason;
  all.reason += together_clause(problem, all);
  return all;
}

enum class Helps { No, Perhaps };

// The least RAM budget with everything else as it is; `known_bytes` as in least_budget().
Helps find_least_budget(const Problem& problem, std::int64_t known_bytes, SearchGoal goal,
                        const LinearBackend& backend, const Stop& stop, Infeasibility& no) {
  goal.gap_ratio = 0;
  const LeastBudget least = least_budget(problem, known_bytes, goal, backend, stop, {});
  if (least.status == SolveStatus::Infeasible) return Helps::No;
  no.least_budget_bytes = least.proved_bytes;
  if (least.found_bytes) no.working_budget_bytes = least.found_bytes;
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
  // A start says what costs too much to matter: without one a transfer of years beside seconds
  // would drown them in a backend's tolerances.
  const std::optional<AtHand> found = quick_at_hand(problem);
  const SearchAnswer answer = search_events(
      step, goal, backend, found ? std::optional(found->choice) : std::nullopt, stop, {});
  if (answer.infeasible) return Helps::No;
  double bound_s = std::max(unavoidable(problem).time_s, step.once_cost + answer.bound);
  if (answer.best) no.working_time_s = step.once_cost + answer.value;
  if (found && (!no.working_time_s || found->time_s < *no.working_time_s))
    no.working_time_s = found->time_s;
  // A bound that is below by less than deadlines tell apart is the time itself.
  if (no.working_time_s && within_deadline(*no.working_time_s, bound_s))
    bound_s = std::max(bound_s, *no.working_time_s);
  if (no.working_time_s || !within_deadline(bound_s, *problem.deadline_s))
    no.least_time_s = std::max(bound_s, *problem.deadline_s);
  return Helps::Perhaps;
}

std::string reason_of(const Problem& problem, const Infeasibility& no) {
  const std::string ram = bytes_text(problem.ram_budget_bytes) + " of RAM";
  std::string text = fmt::format("{} cannot keep within {}", techniques_of(problem), ram);
  if (!problem.deadline_s) return text + (no.least_budget_bytes ? "; " + budget_clause(no) : "");
  text += " and " + exact_seconds(*problem.deadline_s);
  if (no.least_budget_bytes)
    text += fmt::format("; within {}, {}", exact_seconds(*problem.deadline_s), budget_clause(no));
  const std::string clause = deadline_clause(no);
  if (!clause.empty()) text += fmt::format("; with {}, {}", ram, clause);
  return text;
}

}  // namespace

std::optional<Infeasibility> plainly_infeasible(const Problem& problem, WhatWorks works) {
  std::vector<Infeasibility> limits;
  for (const auto check : kLimits)
    if (check != only_schedule_above_budget || !limits.empty())
      if (std::optional<Infeasibility> no = check(problem, works)) limits.push_back(*std::move(no));
  if (limits.empty()) return std::nullopt;
  return limits.size() == 1 ? limits.front() : all_of(problem, limits);
}

Infeasibility with_smaller_budget(const Problem& problem, Infeasibility no, const SearchGoal& goal,
                                  const LinearBackend& backend, const Stop& stop) {
  const bool open = no.least_budget_bytes && no.working_budget_bytes &&
                    *no.least_budget_bytes < *no.working_budget_bytes;
  if (no.kind != Infeasibility::Kind::RamBudget || !no.operation || !open) return no;
  find_least_budget(problem, *no.least_budget_bytes, goal, backend, stop, no);
  no.reason = working_set_reason(problem, no);
  return no;
}

Infeasibility explain_infeasible(const Problem& problem, const SearchGoal& goal,
                                 const LinearBackend& backend, const Stop& stop) {
  Infeasibility no;
  const bool deadline = problem.deadline_s.has_value();
  const Helps ram = find_least_budget(problem, problem.ram_budget_bytes + 1, goal, backend,
                                      deadline ? part_of(stop, 0.7) : stop, no);
  const Helps time = deadline ? find_least_time(problem, goal, backend, stop, no) : Helps::No;
  if (ram == Helps::No && time == Helps::Perhaps)
    no.kind = Infeasibility::Kind::Deadline;
  else if (ram == Helps::Perhaps && time == Helps::No)
    no.kind = Infeasibility::Kind::RamBudget;
  no.reason = reason_of(problem, no);
  return no;
}

namespace {

std::string reason_again(const Problem& problem, const Infeasibility& no) {
  const bool is_too_soon =
      problem.deadline_s && !within_deadline(unavoidable(problem).time_s, *problem.deadline_s);
  const bool is_combined = no.kind == Infeasibility::Kind::Combined;
  const bool is_of_time = is_too_soon && (is_combined || no.kind == Infeasibility::Kind::Deadline);
  if (no.kind == Infeasibility::Kind::StorageCapacity ||
      no.kind == Infeasibility::Kind::WriteBudget)
    return no.reason;  // which names no budget and no time
  if (!no.operation && !is_of_time) return reason_of(problem, no);
  std::string reason =
      no.operation ? working_set_reason(problem, no) : deadline_reason(problem, no);
  if (!is_combined) return reason;
  if (no.operation && is_too_soon) reason += kBesides + deadline_reason(problem, no);
  for (const auto check :
       {homes_above_capacity, updates_above_write_budget, only_schedule_above_budget})
    if (const std::optional<Infeasibility> other = check(problem, WhatWorks::IsLeftOut))
      reason += kBesides + other->reason;
  return reason + together_clause(problem, no);
}

}  // namespace

std::string in_the_worst_case(const Problem& problem, const Infeasibility& no,
                              const std::string& by_the_figures) {
  const std::string worst = deadline_clause(no);
  return fmt::format("by the figures, {}; that is what the deadline of {} leaves, since {}{}",
                     by_the_figures, exact_seconds(*problem.uncertainty->deadline_s),
                     uncertainty_words(*problem.uncertainty),
                     worst.empty() ? "" : ": in the worst case, " + worst);
}

Infeasibility retold(const Problem& problem, Infeasibility no) {
  const bool is_of_time =
      no.kind == Infeasibility::Kind::Deadline || no.kind == Infeasibility::Kind::Combined;
  if (!is_of_time || !problem.uncertainty || !problem.uncertainty->deadline_s ||
      !problem.deadline_s) {
    no.reason = reason_again(problem, no);
    return no;
  }
  // The times that are named are of the worst case, the deadline of the problem is not.
  Infeasibility figures = no;
  figures.least_time_s.reset();
  figures.working_time_s.reset();
  no.reason = in_the_worst_case(problem, no, reason_again(problem, figures));
  return no;
}

}  // namespace poet
