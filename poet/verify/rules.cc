// Judges the actions of a schedule by the rules of docs/model/problem.md §2.2.
#include "poet/verify/rules.h"

#include <algorithm>
#include <limits>
#include <utility>

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
      state_(state_before_step(problem, chosen_)) {
  take_places(schedule);
  place_residents();
  fixed_bytes_ = poet::fixed_bytes(problem, chosen_, state_);
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

bool Rules::may_be_placed(const PlacedBuffer& placed, std::size_t actions) const {
  const bool is_root = in_range(placed.tensor, problem_.tensors.size()) &&
                       !at(problem_.tensors, placed.tensor).view_of;
  const bool is_further =
      index_of(placed.memory) >= 1 && index_of(placed.memory) < memory_count(problem_);
  const auto count = static_cast<std::int64_t>(actions);
  return is_root && is_further &&
         (!placed.action || (0 <= *placed.action && *placed.action < count));
}

// What is wrong is as if it had not been said.
void Rules::take_places(const Schedule& schedule) {
  for (const PlacedBuffer& placed : schedule.placed)
    if (!may_be_placed(placed, schedule.actions.size()) ||
        !places_.try_emplace({placed.action, placed.tensor}, placed).second)
      findings_.push_back(wrong_place(problem_, placed));
}

// Where the schedule has the buffer that is taken now.
MemoryId Rules::take_place(std::optional<std::int64_t> action, TensorId tensor) {
  const auto found = places_.find({action, tensor});
  if (found == places_.end()) return kFastRam;
  const MemoryId memory = found->second.memory;
  places_.erase(found);
  return memory;
}

// New values lie where the old ones do, and those come before.
void Rules::place_residents() {
  for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
    const Tensor& tensor = problem_.tensors[i];
    const bool lies_in_ram = tensor.home == Home::Resident || chosen_[i];
    if (lies_in_ram && !tensor.view_of && !tensor.updates)
      state_.tensors[i].memory = take_place({}, TensorId{static_cast<std::int32_t>(i)});
  }
  for (std::size_t i = 0; i < problem_.tensors.size(); ++i)
    if (const std::optional<TensorId>& old = problem_.tensors[i].updates)
      state_.tensors[i].memory = state_of(*old).memory;
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
    if (!state.fixed) state.memory = kFastRam;
  }
  if (has_buffer(state)) execution.inputs.push_back(input);
}

void Rules::make_output(const ActionAt& action, TensorId output, CheckedExecution& execution) {
  const Tensor& tensor = at(problem_.tensors, output);
  if (tensor.view_of) return;
  TensorState& state = state_of(output);
  if (has_buffer(state)) {
    execution.old_outputs.push_back(output);
  } else if (!state.fixed) {
    state.memory = take_place(action.position, output);
    execution.new_outputs.push_back({output, state.memory});
  }
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
  const MemoryId memory = state_of(input).memory;  // elsewhere there is nothing to take over
  const std::vector<TakenBuffer>& taken = execution.new_outputs;
  const TakenBuffer output{in_place->output, memory};
  if (!dies || std::find(taken.begin(), taken.end(), output) == taken.end()) return;
  execution.in_place_input = input;
  execution.shared_memory = memory;
  execution.shared_bytes = std::min(at(problem_.tensors, input).size_bytes,
                                    at(problem_.tensors, in_place->output).size_bytes);
}

// A view reads and writes nothing, and what lies in rom or in the RAM is read and written for
// nothing.
AccessCost Rules::access_of(const Operation& operation) const {
  AccessCost access;
  if (operation.view) return access;
  const auto bytes = [this](TensorId tensor) { return at(problem_.tensors, tensor).size_bytes; };
  for (const TensorId input : distinct_roots(problem_, operation.inputs))
    access += read_cost(problem_, at(state_.tensors, input).memory, bytes(input));
  for (const TensorId output : operation.outputs)
    access += write_cost(problem_, at(state_.tensors, output).memory, bytes(output));
  return access;
}

std::optional<JudgedExecution> Rules::compute(const ActionAt& at, const Action* next) {
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
  for (const TensorId output : operation.outputs) make_output(at, output, execution);
  share_in_place(next, execution);
  if (operation.written_bytes > 0) count_written(at, operation.written_bytes);
  const AccessCost access = access_of(operation);
  execution.access_s = access.time_s;
  return JudgedExecution{std::move(execution), access.energy_j};
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

std::optional<JudgedTransfer> Rules::page_out(const ActionAt& at) {
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
    state.memory = kFastRam;
  }
  count_write(at, *id);
  state.copied = true;
  const AccessCost access =
      read_cost(problem_, state.memory, poet::at(problem_.tensors, *id).size_bytes);
  return JudgedTransfer{{.tensor = *id, .memory = state.memory, .access_s = access.time_s},
                        access.energy_j};
}

std::optional<JudgedTransfer> Rules::page_in(const ActionAt& at) {
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
  if (buffer == Buffer::Taken) state.memory = take_place(at.position, *id);
  const AccessCost access = write_cost(problem_, state.memory, tensor.size_bytes);
  return JudgedTransfer{{*id, buffer, state.memory, access.time_s}, access.energy_j};
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

void Rules::memory_in_use(const ActionAt& at, MemoryId memory, std::int64_t used_bytes) {
  if (used_bytes > memory_bytes(problem_, memory))
    findings_.push_back(memory_full(at, memory, used_bytes));
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
  for (const auto& [where, placed] : places_)
    findings_.push_back(placed_without_buffer(problem_, placed));
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
