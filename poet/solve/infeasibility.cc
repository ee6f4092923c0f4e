#include "poet/solve/infeasibility.h"

#include <fmt/format.h>

#include <cmath>

#include "poet/problem/facts.h"

namespace poet {
namespace {

constexpr double kDeadlineTolerance = 1e-9;

std::string class_of(const Problem& problem) {
  std::string text = "for the given order of operations";
  if (!problem.rematerialisation_allowed) text += ", without rematerialisation";
  if (!problem.paging_allowed) text += ", without paging";
  return text;
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

std::optional<Infeasibility> working_set_above_budget(const Problem& problem) {
  const WorkingSet largest = largest_working_set(problem);
  if (largest.bytes <= problem.ram_budget_bytes) return std::nullopt;
  Infeasibility no;
  no.kind = Infeasibility::Kind::RamBudget;
  no.operation = largest.operation;
  no.working_set_bytes = largest.bytes;
  no.least_budget_bytes = largest.bytes;
  if (only_ram_binds(problem)) no.working_budget_bytes = largest.bytes;
  no.reason = fmt::format(
      "operation '{}' alone needs {} bytes of RAM for its inputs, outputs and workspace, and the "
      "budget is {} bytes; ",
      at(problem.operations, largest.operation).name, largest.bytes, problem.ram_budget_bytes);
  no.reason += only_ram_binds(problem)
                   ? fmt::format("the smallest budget that works is {} bytes", largest.bytes)
                   : fmt::format("no budget below {} bytes works", largest.bytes);
  return no;
}

std::optional<Infeasibility> deadline_too_short(const Problem& problem) {
  if (!problem.deadline_s) return std::nullopt;
  const double least_s = unavoidable(problem).time_s;
  if (least_s <= *problem.deadline_s * (1 + kDeadlineTolerance)) return std::nullopt;
  Infeasibility no;
  no.kind = Infeasibility::Kind::Deadline;
  no.least_time_s = least_s;
  no.reason = fmt::format(
      "one execution of every operation{} takes {:.6g} s, and the deadline is {:.6g} s",
      problem.time_mode == TimeMode::Blocking ? " with the transfers that no schedule can avoid"
                                              : "",
      least_s, *problem.deadline_s);
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
  no.reason = fmt::format(
      "the tensors that are at home in storage take {} bytes, and its capacity is {} bytes", bytes,
      *problem.storage_capacity_bytes);
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
  no.reason = fmt::format(
      "the updated tensors must be written back, {} bytes, and the write budget is {} bytes", bytes,
      *problem.write_budget_bytes);
  return no;
}

// The least RAM budget with everything else as it is.
void find_least_budget(const Problem& problem, SearchGoal goal, const LinearBackend& backend,
                       const Stop& stop, Infeasibility& no) {
  goal.objective = EventObjective::RamBudget;
  const Step step = make_step(problem);
  const SearchAnswer answer = search_events(step, goal, backend, std::nullopt, stop, {});
  if (answer.infeasible) return;
  const std::int64_t resident = resident_bytes(problem);
  // Sizes are whole bytes, and this budget is known not to work.
  std::int64_t least = std::max(problem.ram_budget_bytes + 1, largest_working_set(problem).bytes);
  if (std::isfinite(answer.bound))
    least = std::max(least, resident + static_cast<std::int64_t>(std::ceil(answer.bound - 1e-6)));
  if (answer.best) {
    no.working_budget_bytes = resident + static_cast<std::int64_t>(answer.value);
    least = std::min(least, *no.working_budget_bytes);
  }
  no.least_budget_bytes = least;
}

// The least time with everything else as it is.
void find_least_time(const Problem& problem, const SearchGoal& goal, const LinearBackend& backend,
                     const Stop& stop, Infeasibility& no) {
  Problem quickest = problem;
  quickest.objective = Objective::Time;
  quickest.deadline_s.reset();
  const Step step = make_step(quickest);
  const SearchAnswer answer = search_events(step, goal, backend, std::nullopt, stop, {});
  if (answer.infeasible) return;
  no.least_time_s = unavoidable(problem).time_s;
  if (std::isfinite(answer.bound))
    no.least_time_s = std::max(*no.least_time_s, step.once_cost + answer.bound);
  if (answer.best) no.working_time_s = step.once_cost + answer.value;
}

std::string budget_clause(const Infeasibility& no) {
  if (!no.least_budget_bytes) return "";
  if (no.least_budget_bytes == no.working_budget_bytes)
    return fmt::format("; the smallest budget that works is {} bytes", *no.least_budget_bytes);
  std::string text = fmt::format("; no budget below {} bytes works", *no.least_budget_bytes);
  if (no.working_budget_bytes)
    text += fmt::format(", and {} bytes is the smallest found to work", *no.working_budget_bytes);
  return text;
}

std::string time_clause(const Infeasibility& no) {
  if (!no.least_time_s) return "";
  std::string text =
      fmt::format("; with this RAM a step takes at least {:.6g} s", *no.least_time_s);
  if (no.working_time_s) text += fmt::format(", and {:.6g} s was found", *no.working_time_s);
  return text;
}

}  // namespace

std::optional<Infeasibility> plainly_infeasible(const Problem& problem) {
  for (const auto check : {working_set_above_budget, deadline_too_short, homes_above_capacity,
                           updates_above_write_budget})
    if (std::optional<Infeasibility> no = check(problem)) return no;
  return std::nullopt;
}

Infeasibility explain_infeasible(const Problem& problem, const SearchGoal& goal,
                                 const LinearBackend& backend, const Stop& stop) {
  Infeasibility no;
  find_least_budget(problem, goal, backend, stop, no);
  if (problem.deadline_s) find_least_time(problem, goal, backend, stop, no);
  const bool time_alone = no.least_time_s && !no.least_budget_bytes;
  if (time_alone)
    no.kind = Infeasibility::Kind::Deadline;
  else if (no.least_budget_bytes && !problem.deadline_s)
    no.kind = Infeasibility::Kind::RamBudget;
  no.reason = fmt::format(
      "no schedule keeps within {} bytes of RAM{} ({})", problem.ram_budget_bytes,
      problem.deadline_s ? fmt::format(" and {:.6g} s", *problem.deadline_s) : std::string(),
      class_of(problem));
  no.reason += budget_clause(no) + time_clause(no);
  return no;
}

}  // namespace poet
