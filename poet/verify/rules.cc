// Judges the actions of a schedule by the rules of docs/model/problem.md §2.2.
#include "poet/verify/rules.h"

#include <algorithm>
#include <limits>

#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

template <typename Id>
bool in_range(Id id, std::size_t count) {
  return index_of(id) >= 0 && static_cast<std::size_t>(index_of(id)) < count;
}

TensorId moved_tensor(const Action& action) {
  if (const PageOut* out = std::get_if<PageOut>(&action)) return out->tensor;
  if (const PageIn* in = std::get_if<PageIn>(&action)) return in->tensor;
  return std::get<Drop>(action).tensor;
}

bool has_buffer(const TensorState& state) {
  return state.present && !state.fixed && !state.assumed;
}

// A tensor and a view of it are one root, needed once.
std::vector<TensorId> distinct_roots(const Problem& problem, const std::vector<TensorId>& tensors) {
  std::vector<TensorId> roots;
  for (const TensorId tensor : tensors) roots.push_back(root_of(problem, tensor));
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return roots;
}

// Schedules may write the same tensor as often as they like: the sum stays at the largest number.
std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  return a > std::numeric_limits<std::int64_t>::max() - b ? std::numeric_limits<std::int64_t>::max()
                                                          : a + b;
}

}  // namespace

Rules::Rules(const Problem& problem, const Schedule& schedule)
    : problem_(problem),
      chosen_(chosen_residents(schedule)),
      state_(state_before_step(problem, chosen_)),
      fixed_bytes_(fixed_ram_bytes(problem, chosen_)) {
  if (problem.storage_capacity_bytes && state_.storage_bytes > *problem.storage_capacity_bytes)
    findings_.push_back(homes_exceed_capacity(problem, state_.storage_bytes));
}

// Named twice is kept once.
std::vector<bool> Rules::chosen_residents(const Schedule& schedule) {
  std::vector<bool> chosen(problem_.tensors.size(), false);
  for (const TensorId tensor : schedule.resident) {
    if (!in_range(tensor, problem_.tensors.size()) || at(problem_.tensors, tensor).view_of)
      findings_.push_back(resident_unknown(problem_, tensor));
    else if (!may_be_chosen_resident(at(problem_.tensors, tensor)))
      findings_.push_back(not_resident(problem_, tensor));
    else
      chosen[index_of(tensor)] = true;
  }
  return chosen;
}

void Rules::judge_count_and_order(const ActionAt& at, OperationId id) {
  const std::int32_t v = index_of(id);
  if (state_.executed[v]) {
    ++state_.recomputed_operations;
    if (problem_.operations[v].once)
      findings_.push_back(executed_twice(at));
    else if (!problem_.rematerialisation_allowed)
      findings_.push_back(rematerialisation_not_allowed(at));
    return;
  }
  if (v != state_.next_first)
    findings_.push_back(order_of_firsts(at, OperationId{state_.next_first}));
  state_.executed[v] = true;
  const std::int32_t count = static_cast<std::int32_t>(problem_.operations.size());
  while (state_.next_first < count && state_.executed[state_.next_first]) ++state_.next_first;
}

void Rules::judge_input(const ActionAt& at, TensorId input, CheckedExecution& execution) {
  TensorState& state = state_of(input);
  if (state.replaced_by) {
    findings_.push_back(old_value_read(at, input, *state.replaced_by));
  } else if (!state.present) {
    findings_.push_back(state.fixed ? new_value_not_ready(at, input)
                                    : input_not_in_ram(at, input, state.copied));
    state.present = true;
    state.assumed = true;
  }
  if (has_buffer(state)) execution.inputs.push_back(input);
}

void Rules::make_output(TensorId output, CheckedExecution& execution) {
  const Tensor& tensor = at(problem_.tensors, output);
  if (tensor.view_of) return;
  TensorState& state = state_of(output);
  if (!state.fixed)
    (has_buffer(state) ? execution.old_outputs : execution.new_outputs).push_back(output);
  state.present = true;
  state.assumed = false;
  if (tensor.updates) state_of(*tensor.updates).replaced_by = output;
}

// An output that has a buffer already keeps it: nothing is shared then.
void Rules::share_in_place(const Action* next, CheckedExecution& execution) {
  const std::optional<InPlace>& in_place = at(problem_.operations, execution.operation).in_place;
  if (!in_place || next == nullptr) return;
  const TensorId input = root_of(problem_, in_place->input);
  const bool dies = *next == Action{Drop{input}} && has_buffer(state_of(input));
  const std::vector<TensorId>& taken = execution.new_outputs;
  if (!dies || std::find(taken.begin(), taken.end(), in_place->output) == taken.end()) return;
  execution.in_place_input = input;
  execution.shared_bytes = std::min(at(problem_.tensors, input).size_bytes,
                                    at(problem_.tensors, in_place->output).size_bytes);
}

std::optional<CheckedExecution> Rules::compute(const ActionAt& at, const Action* next) {
  const OperationId id = std::get<Compute>(at.action).operation;
  if (!in_range(id, problem_.operations.size())) {
    findings_.push_back(unknown_name(at));
    return std::nullopt;
  }
  const Operation& operation = poet::at(problem_.operations, id);
  judge_count_and_order(at, id);
  CheckedExecution execution;
  execution.operation = id;
  for (const TensorId input : distinct_roots(problem_, operation.inputs))
    judge_input(at, input, execution);
  for (const TensorId output : operation.outputs) make_output(output, execution);
  share_in_place(next, execution);
  if (operation.written_bytes > 0) count_written(at, operation.written_bytes);
  return execution;
}

// The tensor that a PageOut, PageIn or Drop names, if it can be moved at all.
std::optional<TensorId> Rules::movable(const ActionAt& at) {
  const TensorId tensor = moved_tensor(at.action);
  if (!in_range(tensor, problem_.tensors.size()) || poet::at(problem_.tensors, tensor).view_of) {
    findings_.push_back(unknown_name(at));
    return std::nullopt;
  }
  if (state_of(tensor).fixed) {
    findings_.push_back(fixed_tensor_moved(at));
    return std::nullopt;
  }
  return tensor;
}

void Rules::count_written(const ActionAt& at, std::int64_t bytes) {
  const std::optional<std::int64_t>& budget = problem_.write_budget_bytes;
  const bool within = !budget || state_.written_bytes <= *budget;
  state_.written_bytes = saturating_add(state_.written_bytes, bytes);
  if (budget && within && state_.written_bytes > *budget)
    findings_.push_back(write_budget(at, state_.written_bytes));
}

// A home in storage, and the new value that takes its place there, need no storage beside it.
void Rules::count_write(const ActionAt& at, TensorId id) {
  const Tensor& tensor = poet::at(problem_.tensors, id);
  const std::optional<std::int64_t>& capacity = problem_.storage_capacity_bytes;
  if (!state_of(id).copied && !tensor.updates) {
    const bool fitted = !capacity || state_.storage_bytes <= *capacity;
    state_.storage_bytes += tensor.size_bytes;
    ++state_.paged_tensors;
    if (capacity && fitted && state_.storage_bytes > *capacity)
      findings_.push_back(storage_capacity(at, state_.storage_bytes));
  }
  count_written(at, tensor.size_bytes);
}

std::optional<TensorId> Rules::page_out(const ActionAt& at) {
  const std::optional<TensorId> id = movable(at);
  if (!id) return std::nullopt;
  TensorState& state = state_of(*id);
  if (!problem_.paging_allowed && !poet::at(problem_.tensors, *id).updates)
    findings_.push_back(paging_not_allowed(at));
  if (state.replaced_by) findings_.push_back(old_value_read(at, *id, *state.replaced_by));
  if (!state.present) {
    findings_.push_back(page_out_not_in_ram(at));
    state.present = true;
    state.assumed = true;
  }
  count_write(at, *id);
  state.copied = true;
  return id;
}

std::optional<ReadIn> Rules::page_in(const ActionAt& at) {
  const std::optional<TensorId> id = movable(at);
  if (!id) return std::nullopt;
  TensorState& state = state_of(*id);
  const Tensor& tensor = poet::at(problem_.tensors, *id);
  if (!problem_.paging_allowed && tensor.home != Home::Storage && !tensor.updates)
    findings_.push_back(paging_not_allowed(at));
  if (state.replaced_by) findings_.push_back(old_value_read(at, *id, *state.replaced_by));
  if (!state.copied) findings_.push_back(page_in_without_copy(at));
  const Buffer buffer = has_buffer(state) ? Buffer::Held : Buffer::Taken;
  state_.read_bytes = saturating_add(state_.read_bytes, tensor.size_bytes);
  state.present = true;
  state.assumed = false;
  state.copied = true;
  return ReadIn{*id, buffer};
}

std::optional<TensorId> Rules::drop(const ActionAt& at) {
  const std::optional<TensorId> id = movable(at);
  if (!id) return std::nullopt;
  TensorState& state = state_of(*id);
  const bool held = has_buffer(state);
  if (!state.present) findings_.push_back(drop_not_in_ram(at));
  state.present = false;
  state.assumed = false;
  return held ? id : std::nullopt;
}

void Rules::ram_in_use(const ActionAt& at, std::int64_t used_bytes) {
  if (used_bytes > problem_.ram_budget_bytes) findings_.push_back(ram_budget(at, used_bytes));
}

void Rules::end(std::int64_t actions, double time_s, const ReplayOptions& options) {
  for (std::size_t v = 0; v < problem_.operations.size(); ++v)
    if (!state_.executed[v])
      findings_.push_back(
          never_executed(problem_, actions, OperationId{static_cast<std::int32_t>(v)}));
  for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
    const TensorState& state = state_.tensors[i];
    if (problem_.tensors[i].updates && !problem_.tensors[i].view_of && !state.fixed &&
        !state.copied)
      findings_.push_back(
          update_not_in_storage(problem_, actions, TensorId{static_cast<std::int32_t>(i)}));
  }
  if (problem_.deadline_s &&
      !within_deadline(time_s, *problem_.deadline_s, options.deadline_tolerance_ratio))
    findings_.push_back(deadline(problem_, actions, time_s));
}

void Rules::worst_case(std::int64_t actions, const WorstCase& worst, const ReplayOptions& options) {
  const std::optional<double>& latest_s = problem_.uncertainty->deadline_s;
  if (latest_s && !within_deadline(worst.time_s, *latest_s, options.deadline_tolerance_ratio))
    findings_.push_back(worst_case_deadline(problem_, actions, worst.time_s));
}

}  // namespace poet
