#include "poet/problem/facts.h"

#include <algorithm>

#include "poet/problem/overlapped_time.h"

namespace poet {
namespace {

OperationId operation_at(std::size_t index) {
  return OperationId{static_cast<std::int32_t>(index)};
}

bool takes_room(const Tensor& tensor) {
  return tensor.home == Home::Made || tensor.home == Home::Storage;
}

bool shares_in_place(const Problem& problem, const Operation& operation) {
  return operation.in_place && takes_room(at(problem.tensors, operation.in_place->output)) &&
         takes_room(at(problem.tensors, root_of(problem, operation.in_place->input)));
}

// A new value that takes the place of a tensor which the solver may keep resident: then it needs no
// room of its own.
bool may_replace_resident(const Problem& problem, TensorId tensor) {
  const std::optional<TensorId> old = at(problem.tensors, tensor).updates;
  return old && at(problem.tensors, *old).may_be_resident;
}

// The last operation that needs a root in RAM: its last reader, or its producer when nobody reads
// it.
std::vector<std::optional<OperationId>> last_uses(const Problem& problem) {
  std::vector<std::optional<OperationId>> last = producers(problem);
  const std::vector<std::vector<OperationId>> all = readers(problem);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].empty()) last[i] = all[i].back();
  return last;
}

bool pageable(const Tensor& tensor) {
  return !tensor.view_of && (tensor.home == Home::Made || tensor.home == Home::Storage);
}

// Walks plain_schedule while counting RAM.
struct PlainWalk {
  const Problem& problem;
  const std::vector<std::optional<OperationId>> last = last_uses(problem);
  std::vector<bool> in_ram = std::vector<bool>(problem.tensors.size(), false);
  std::int64_t used_bytes = resident_bytes(problem);
  std::int64_t peak_bytes = used_bytes;
  Schedule schedule = {};

  void read_homes(const std::vector<TensorId>& inputs) {
    for (const TensorId input : inputs) {
      if (at(problem.tensors, input).home != Home::Storage || in_ram[index_of(input)]) continue;
      schedule.actions.emplace_back(PageIn{input});
      in_ram[index_of(input)] = true;
      used_bytes += at(problem.tensors, input).size_bytes;
    }
  }

  bool dies_at(TensorId tensor, OperationId operation) const {
    return pageable(at(problem.tensors, tensor)) && at(last, tensor) == operation;
  }

  void drop(TensorId tensor) {
    schedule.actions.emplace_back(Drop{tensor});
    in_ram[index_of(tensor)] = false;
    used_bytes -= at(problem.tensors, tensor).size_bytes;
  }

  void step(OperationId id) {
    const Operation& operation = at(problem.operations, id);
    const std::vector<TensorId> inputs = ram_inputs(problem, id);
    const std::vector<TensorId> outputs = made_outputs(problem, id);
    read_homes(inputs);
    schedule.actions.emplace_back(Compute{id});

    std::int64_t running_bytes = used_bytes + operation.workspace_bytes;
    for (const TensorId output : outputs) {
      used_bytes += at(problem.tensors, output).size_bytes;
      running_bytes += at(problem.tensors, output).size_bytes;
      in_ram[index_of(output)] = true;
    }
    // The input whose buffer an output takes over leaves first: the sharing rests on it.
    std::optional<TensorId> shared;
    if (shares_in_place(problem, operation)) {
      const TensorId input = root_of(problem, operation.in_place->input);
      if (dies_at(input, id)) {
        shared = input;
        running_bytes -= at(problem.tensors, operation.in_place->output).size_bytes;
      }
    }
    peak_bytes = std::max(peak_bytes, running_bytes);

    if (shared) drop(*shared);
    for (const TensorId output : outputs) {
      const std::optional<TensorId> old = at(problem.tensors, output).updates;
      if (old && at(problem.tensors, *old).home == Home::Storage)
        schedule.actions.emplace_back(PageOut{output});
    }
    for (const TensorId input : inputs)
      if (input != shared && dies_at(input, id)) drop(input);
    for (const TensorId output : outputs)
      if (dies_at(output, id)) drop(output);
  }
};

PlainWalk walk_plain(const Problem& problem) {
  PlainWalk walk{problem};
  for (std::size_t v = 0; v < problem.operations.size(); ++v) walk.step(operation_at(v));
  return walk;
}

}  // namespace

TensorId root_of(const Problem& problem, TensorId tensor) {
  return at(problem.tensors, tensor).view_of.value_or(tensor);
}

std::vector<std::optional<OperationId>> producers(const Problem& problem) {
  std::vector<std::optional<OperationId>> result(problem.tensors.size());
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    for (const TensorId output : problem.operations[v].outputs)
      at(result, output) = operation_at(v);
  return result;
}

std::vector<std::vector<OperationId>> readers(const Problem& problem) {
  std::vector<std::vector<OperationId>> result(problem.tensors.size());
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    for (const TensorId input : problem.operations[v].inputs) {
      std::vector<OperationId>& list = at(result, root_of(problem, input));
      if (list.empty() || list.back() != operation_at(v)) list.push_back(operation_at(v));
    }
  }
  return result;
}

std::vector<TensorId> ram_inputs(const Problem& problem, OperationId operation) {
  std::vector<TensorId> roots;
  for (const TensorId input : at(problem.operations, operation).inputs) {
    const TensorId root = root_of(problem, input);
    if (at(problem.tensors, root).home == Home::Rom) continue;
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  }
  return roots;
}

std::vector<TensorId> made_outputs(const Problem& problem, OperationId operation) {
  std::vector<TensorId> roots;
  for (const TensorId output : at(problem.operations, operation).outputs) {
    const Tensor& tensor = at(problem.tensors, output);
    if (!tensor.view_of && tensor.home == Home::Made) roots.push_back(output);
  }
  return roots;
}

std::int64_t resident_bytes(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : problem.tensors)
    if (tensor.home == Home::Resident && !tensor.view_of && !tensor.updates)
      bytes += tensor.size_bytes;
  return bytes;
}

namespace {

// Of the working set: what is not resident whatever the operation.
std::int64_t own_bytes(const Problem& problem, OperationId id) {
  const Operation& operation = at(problem.operations, id);
  std::int64_t bytes = operation.workspace_bytes;
  for (const TensorId input : ram_inputs(problem, id))
    if (takes_room(at(problem.tensors, input))) bytes += at(problem.tensors, input).size_bytes;
  for (const TensorId output : made_outputs(problem, id))
    if (!may_replace_resident(problem, output)) bytes += at(problem.tensors, output).size_bytes;
  if (shares_in_place(problem, operation) &&
      !may_replace_resident(problem, operation.in_place->output))
    bytes -= at(problem.tensors, operation.in_place->output).size_bytes;
  return bytes;
}

}  // namespace

std::int64_t bytes_written_by_operations(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const Operation& operation : problem.operations) bytes += operation.written_bytes;
  return bytes;
}

std::int64_t unavoidable_written_bytes(const Problem& problem) {
  std::int64_t bytes = bytes_written_by_operations(problem);
  for (const Tensor& tensor : problem.tensors) {
    if (!tensor.updates) continue;
    const Tensor& old_value = at(problem.tensors, *tensor.updates);
    if (old_value.home == Home::Storage && !old_value.may_be_resident) bytes += tensor.size_bytes;
  }
  return bytes;
}

std::optional<std::int64_t> write_room_bytes(const Problem& problem) {
  if (!problem.write_budget_bytes) return std::nullopt;
  return *problem.write_budget_bytes - bytes_written_by_operations(problem);
}

std::int64_t working_set_bytes(const Problem& problem, OperationId id) {
  return resident_bytes(problem) + own_bytes(problem, id);
}

WorkingSet largest_working_set(const Problem& problem) {
  WorkingSet largest;
  const std::int64_t always_bytes = resident_bytes(problem);
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    const std::int64_t bytes = always_bytes + own_bytes(problem, operation_at(v));
    if (v == 0 || bytes > largest.bytes) largest = WorkingSet{operation_at(v), bytes};
  }
  return largest;
}

Schedule plain_schedule(const Problem& problem) {
  return walk_plain(problem).schedule;
}

std::int64_t plain_peak_bytes(const Problem& problem) {
  return walk_plain(problem).peak_bytes;
}

bool knows_energies(const Problem& problem) {
  return problem.objective == Objective::Energy ||
         std::any_of(problem.operations.begin(), problem.operations.end(),
                     [](const Operation& operation) { return operation.compute_j > 0; });
}

Unavoidable unavoidable(const Problem& problem) {
  Unavoidable sum;
  for (const Operation& operation : problem.operations) {
    sum.energy_j += operation.compute_j;
    sum.compute_s += operation.compute_s;
  }
  sum.time_s = sum.compute_s;
  sum.energy_j += problem.idle_w * sum.compute_s;
  const double transfer_weight = problem.time_mode == TimeMode::Blocking ? 1 : 0;
  const std::vector<std::vector<OperationId>> all_readers = readers(problem);
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    if (tensor.view_of) continue;
    if (tensor.home == Home::Storage && !tensor.may_be_resident && !all_readers[i].empty()) {
      sum.energy_j += tensor.page_in_j;
      sum.time_s += transfer_weight * tensor.page_in_s;
    }
    if (!tensor.updates) continue;
    const Tensor& old = at(problem.tensors, *tensor.updates);
    if (old.home == Home::Storage && !old.may_be_resident) {
      sum.energy_j += tensor.page_out_j;
      sum.time_s += transfer_weight * tensor.page_out_s;
    }
  }
  if (problem.time_mode == TimeMode::Overlapped) sum.time_s = least_overlapped_s(problem);
  return sum;
}

double unavoidable_objective(const Problem& problem) {
  const Unavoidable least = unavoidable(problem);
  return problem.objective == Objective::Time ? least.time_s : least.energy_j;
}

}  // namespace poet
