// The step that exact bounds speak of (docs/model/event-model.md §1), and what follows from sums
// (docs/model/problem.md §2.5, docs/model/search.md §7.1).
#include "poet/exact/step.h"

#include <algorithm>

namespace poet::exact {
namespace {

bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

class StepMaker {
 public:
  StepMaker(const Problem& problem, const StepOptions& options)
      : problem_(problem), options_(options), compute_weight_(1), transfer_weight_(0) {
    if (problem.time_mode == TimeMode::Blocking) transfer_weight_ = 1;
    if (problem.time_mode != TimeMode::Overlapped) return;
    compute_weight_ = number_of(options.compute_share);
    transfer_weight_ = 1 - compute_weight_;
  }

  Step make() {
    read_tensors();
    read_operations();
    link_updates();
    find_last_stages();
    read_budgets();
    return std::move(step_);
  }

 private:
  Number cost_of(double energy_j, const Number& time_s) const {
    if (options_.costs_nothing) return 0;
    if (problem_.objective == Objective::Time) return time_s;
    return number_of(energy_j) + number_of(problem_.idle_w) * time_s;
  }

  void read_tensors() {
    for (const Tensor& from : problem_.tensors) {
      Chain& chain = step_.chains.emplace_back();
      chain.moves = !from.view_of && (from.home == Home::Made || from.home == Home::Storage);
      if (!chain.moves) continue;
      const bool at_home = from.home == Home::Storage;
      chain.size_bytes = from.size_bytes;
      chain.must_be_written = from.updates.has_value();
      chain.may_be_written = problem_.paging_allowed && !at_home && !chain.must_be_written;
      chain.may_be_read = at_home || chain.must_be_written || chain.may_be_written;
      chain.may_be_resident = at_home && from.may_be_resident;
      chain.read_s = transfer_weight_ * number_of(from.page_in_s);
      chain.write_s = transfer_weight_ * number_of(from.page_out_s);
      chain.read_cost = cost_of(from.page_in_j, chain.read_s);
      chain.write_cost = cost_of(from.page_out_j, chain.write_s);
    }
  }

  void read_operations() {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      const Operation& from = problem_.operations[v];
      StepOperation& operation = step_.operations.emplace_back();
      for (const std::int32_t input : from.inputs) {
        const std::int32_t root = problem_.root_of(input);
        if (step_.chains[root].moves && !operation.reads(root)) operation.inputs.push_back(root);
      }
      for (const std::int32_t output : from.outputs)
        if (step_.chains[output].moves) operation.outputs.push_back(output);
      for (const std::int32_t input : operation.inputs)
        step_.chains[input].readers.push_back(id_of(v));
      for (const std::int32_t output : operation.outputs) step_.chains[output].maker = id_of(v);
      operation.workspace_bytes = from.workspace_bytes;
      operation.time_s = compute_weight_ * number_of(from.compute_s);
      operation.cost = cost_of(from.compute_j, operation.time_s);
      step_.once_cost += operation.cost;
      step_.once_s += operation.time_s;
      if (!from.in_place) continue;
      const Sharing sharing{problem_.root_of(from.in_place->input), from.in_place->output};
      if (operation.reads(sharing.input) && operation.makes(sharing.output))
        operation.sharing = sharing;
    }
  }

  void link_updates() {
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const std::optional<std::int32_t> old = problem_.tensors[i].updates;
      if (!old || !step_.chains[i].moves || !step_.chains[*old].moves) continue;
      step_.chains[i].old_value = *old;
      step_.chains[*old].new_value = id_of(i);
    }
  }

  // Readers come behind their makers, so from the last operation on.
  void find_last_stages() {
    std::vector<std::optional<std::int32_t>> updated_at(problem_.tensors.size());
    for (std::size_t v = 0; v < problem_.operations.size(); ++v)
      for (const std::int32_t output : problem_.operations[v].outputs)
        if (const auto old = problem_.tensors[output].updates) updated_at[*old] = id_of(v);
    for (std::int32_t v = step_.stages() - 1; v >= 0; --v) {
      StepOperation& operation = step_.operations[v];
      const Operation& from = problem_.operations[v];
      operation.last_stage = v;
      if (!problem_.rematerialisation_allowed || from.once || from.view) continue;
      for (const std::int32_t output : operation.outputs)
        for (const std::int32_t reader : step_.chains[output].readers)
          operation.last_stage =
              std::max(operation.last_stage, step_.operations[reader].last_stage);
      for (const std::int32_t input : from.inputs)
        if (const auto update = updated_at[problem_.root_of(input)])
          operation.last_stage = std::max(v, std::min(operation.last_stage, *update));
    }
    for (Chain& chain : step_.chains) {
      if (chain.maker) chain.last_stage = step_.operations[*chain.maker].last_stage;
      for (const std::int32_t reader : chain.readers)
        chain.last_stage = std::max(chain.last_stage, step_.operations[reader].last_stage);
    }
  }

  void read_budgets() {
    std::int64_t home_bytes = 0;
    for (const Tensor& tensor : problem_.tensors) {
      if (tensor.view_of) continue;
      if (tensor.home == Home::Resident && !tensor.updates)
        step_.resident_bytes += tensor.size_bytes;
      if (tensor.home == Home::Storage) home_bytes += tensor.size_bytes;
    }
    step_.budget_bytes = options_.ram_budget_bytes - step_.resident_bytes;
    if (problem_.deadline_s) step_.latest_s = number_of(latest_end_s(*problem_.deadline_s));
    if (problem_.storage_capacity_bytes)
      step_.storage_room_bytes = *problem_.storage_capacity_bytes - home_bytes;
    step_.write_room_bytes = problem_.write_budget_bytes;
    for (const Operation& operation : problem_.operations)
      if (step_.write_room_bytes) *step_.write_room_bytes -= operation.written_bytes;
  }

  const Problem& problem_;
  const StepOptions& options_;
  Number compute_weight_;
  Number transfer_weight_;
  Step step_;
};

// --- what every schedule has ---------------------------------------------------------------------

}  // namespace

CertainTransfers certain_transfers(const Problem& problem) {
  const std::size_t count = problem.operations.size();
  CertainTransfers certain{std::vector<std::vector<std::int32_t>>(count),
                           std::vector<std::vector<std::int32_t>>(count)};
  std::vector<bool> is_read(problem.tensors.size(), false);
  const auto at_home = [&](std::int32_t i) {
    return problem.tensors[i].home == Home::Storage && !problem.tensors[i].may_be_resident;
  };
  for (std::size_t v = 0; v < count; ++v) {
    for (const std::int32_t input : problem.operations[v].inputs) {
      const std::int32_t root = problem.root_of(input);
      if (at_home(root) && !is_read[root]) certain.reads[v].push_back(root);
      is_read[root] = true;
    }
    for (const std::int32_t output : problem.operations[v].outputs)
      if (const auto old = problem.tensors[output].updates; old && at_home(*old))
        certain.writes[v].push_back(output);
  }
  return certain;
}

namespace {

// docs/model/problem.md §3.3.
Number least_overlapped_s(const Problem& problem, const CertainTransfers& certain) {
  const auto sum = [&](const std::vector<std::int32_t>& list, double Tensor::*time_s) {
    Number seconds;
    for (const std::int32_t i : list) seconds += number_of(problem.tensors[i].*time_s);
    return seconds;
  };
  Number all_reads_s, writes_left_s;
  for (const auto& list : certain.reads) all_reads_s += sum(list, &Tensor::page_in_s);
  for (const auto& list : certain.writes) writes_left_s += sum(list, &Tensor::page_out_s);
  Number least_s = all_reads_s + writes_left_s;
  Number reads_s, computed_s, latest_begin_s;
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    reads_s += sum(certain.reads[v], &Tensor::page_in_s);
    const Number begin_s = reads_s - computed_s;
    latest_begin_s = std::max(latest_begin_s, begin_s);
    computed_s += number_of(problem.operations[v].compute_s);
    const Number end_s = latest_begin_s + computed_s + writes_left_s;
    least_s = std::max(least_s, end_s);
    writes_left_s -= sum(certain.writes[v], &Tensor::page_out_s);
  }
  const Number end_s = latest_begin_s + computed_s;
  return std::max(least_s, end_s);
}

std::string bytes_text(std::int64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

}  // namespace

bool StepOperation::reads(std::int32_t chain) const {
  return contains(inputs, chain);
}
bool StepOperation::makes(std::int32_t chain) const {
  return contains(outputs, chain);
}

bool Step::may_stay(std::int32_t chain) const {
  return chains[chains[chain].old_value.value_or(chain)].may_be_resident;
}

std::int64_t Step::least_room_bytes(const StepOperation& operation) const {
  std::int64_t bytes = operation.workspace_bytes;
  for (const std::int32_t input : operation.inputs) bytes += chains[input].size_bytes;
  for (const std::int32_t output : operation.outputs) {
    const bool shares = operation.sharing && operation.sharing->output == output;
    const bool replaces = chains[output].old_value && may_stay(output);
    if (!shares && !replaces) bytes += chains[output].size_bytes;
  }
  return bytes;
}

Step make_step(const Problem& problem, const StepOptions& options) {
  return StepMaker(problem, options).make();
}

Number unavoidable_s(const Problem& problem) {
  const CertainTransfers certain = certain_transfers(problem);
  if (problem.time_mode == TimeMode::Overlapped) return least_overlapped_s(problem, certain);
  Number seconds;
  for (const Operation& operation : problem.operations) seconds += number_of(operation.compute_s);
  if (problem.time_mode == TimeMode::Free) return seconds;
  for (const auto& list : certain.reads)
    for (const std::int32_t i : list) seconds += number_of(problem.tensors[i].page_in_s);
  for (const auto& list : certain.writes)
    for (const std::int32_t i : list) seconds += number_of(problem.tensors[i].page_out_s);
  return seconds;
}

Number unavoidable_objective(const Problem& problem) {
  if (problem.objective == Objective::Time) return unavoidable_s(problem);
  Number joules, compute_s;
  for (const Operation& operation : problem.operations) {
    joules += number_of(operation.compute_j);
    compute_s += number_of(operation.compute_s);
  }
  const CertainTransfers certain = certain_transfers(problem);
  for (const auto& list : certain.reads)
    for (const std::int32_t i : list) joules += number_of(problem.tensors[i].page_in_j);
  for (const auto& list : certain.writes)
    for (const std::int32_t i : list) joules += number_of(problem.tensors[i].page_out_j);
  return joules + number_of(problem.idle_w) * compute_s;
}

std::optional<std::string> plainly_impossible(const Problem& problem,
                                              std::int64_t ram_budget_bytes) {
  const Step step = make_step(problem, {.ram_budget_bytes = ram_budget_bytes});
  for (std::size_t v = 0; v < step.operations.size(); ++v) {
    const std::int64_t room_bytes = step.resident_bytes + step.least_room_bytes(step.operations[v]);
    if (room_bytes > ram_budget_bytes)
      return "operation " + std::to_string(v) + " alone needs " + bytes_text(room_bytes) +
             " of RAM, and the budget is " + bytes_text(ram_budget_bytes);
  }
  if (step.latest_s && unavoidable_s(problem) > *step.latest_s)
    return "one execution of every operation, with the transfers that no schedule can avoid, takes "
           "longer than the deadline";
  if (step.storage_room_bytes && *step.storage_room_bytes < 0)
    return "the tensors that are at home in storage exceed its capacity";
  if (!step.write_room_bytes) return std::nullopt;
  std::int64_t writes_bytes = 0;
  for (std::size_t i = 0; i < step.chains.size(); ++i)
    if (step.chains[i].must_be_written && !step.may_stay(id_of(i)))
      writes_bytes += step.chains[i].size_bytes;
  if (writes_bytes > *step.write_room_bytes) return "what must be written exceeds the write budget";
  return std::nullopt;
}

}  // namespace poet::exact
