// The buffers of a schedule and what is read and written of each (docs/model/memories.md §5.1).
#include "poet/overlap/placed_buffers.h"

#include <algorithm>

#include "poet/problem/facts.h"

namespace poet {
namespace {

class Walk {
 public:
  Walk(const Problem& problem, const Schedule& schedule)
      : problem_(problem),
        actions_(schedule.actions),
        resident_(problem.tensors.size(), false),
        open_(problem.tensors.size()) {
    for (const TensorId tensor : schedule.resident)
      resident_[static_cast<std::size_t>(index_of(tensor))] = true;
    for (std::size_t i = 0; i < problem.tensors.size(); ++i)
      if (problem.tensors[i].home == Home::Resident) resident_[i] = true;
  }

  BuffersToPlace run() {
    result_.workspace_bytes.resize(actions_.size(), 0);
    for (std::size_t i = 0; i < problem_.tensors.size(); ++i) {
      const Tensor& tensor = problem_.tensors[i];
      if (resident_[i] && !tensor.updates && !tensor.view_of)
        take(TensorId{static_cast<std::int32_t>(i)}, std::nullopt);
    }
    for (std::size_t a = 0; a < actions_.size(); ++a) walk(static_cast<std::int64_t>(a));
    return std::move(result_);
  }

 private:
  // The bytes of a new value of a resident are the resident's.
  std::optional<std::int32_t>& held(TensorId tensor) {
    const std::optional<TensorId>& old = at(problem_.tensors, tensor).updates;
    return at(open_, old && resident_[static_cast<std::size_t>(index_of(*old))] ? *old : tensor);
  }
  BufferToPlace& buffer(TensorId tensor) {
    return result_.buffers[static_cast<std::size_t>(*held(tensor))];
  }

  void take(TensorId tensor, std::optional<std::int64_t> action) {
    held(tensor) = static_cast<std::int32_t>(result_.buffers.size());
    result_.buffers.push_back({.tensor = tensor,
                               .action = action,
                               .size_bytes = at(problem_.tensors, tensor).size_bytes,
                               .begin = action.value_or(0),
                               .end = static_cast<std::int64_t>(actions_.size())});
  }

  void walk(std::int64_t a) {
    const Action& action = actions_[static_cast<std::size_t>(a)];
    if (const auto* const compute = std::get_if<Compute>(&action)) {
      run_operation(compute->operation, a);
    } else if (const auto* const in = std::get_if<PageIn>(&action)) {
      if (!held(in->tensor)) take(in->tensor, a);
      ++buffer(in->tensor).transfer_writes;
    } else if (const auto* const out = std::get_if<PageOut>(&action)) {
      ++buffer(out->tensor).transfer_reads;
    } else {
      // What is dropped takes no room any more while that action runs.
      const TensorId dropped = std::get<Drop>(action).tensor;
      buffer(dropped).end = a;
      held(dropped).reset();
    }
  }

  void run_operation(OperationId id, std::int64_t a) {
    const Operation& operation = at(problem_.operations, id);
    if (operation.view) return;
    result_.workspace_bytes[static_cast<std::size_t>(a)] = operation.workspace_bytes;
    for (const TensorId input : ram_inputs(problem_, id)) ++buffer(input).reads;
    for (const TensorId output : operation.outputs) {
      if (!held(output)) {
        take(output, a);
        share(operation, output, a);
      }
      ++buffer(output).writes;
    }
  }

  void share(const Operation& operation, TensorId output, std::int64_t a) {
    if (!operation.in_place || operation.in_place->output != output) return;
    const TensorId input = root_of(problem_, operation.in_place->input);
    const auto next = static_cast<std::size_t>(a) + 1;
    if (next >= actions_.size() || actions_[next] != Action{Drop{input}} || !held(input)) return;
    result_.shared.push_back({.action = a,
                              .input = *held(input),
                              .output = *held(output),
                              .size_bytes = at(problem_.tensors, output).size_bytes});
  }

  const Problem& problem_;
  const std::vector<Action>& actions_;
  std::vector<bool> resident_;                     // by tensor
  std::vector<std::optional<std::int32_t>> open_;  // by tensor: its buffer now
  BuffersToPlace result_ = {};
};

}  // namespace

BuffersToPlace buffers_to_place(const Problem& problem, const Schedule& schedule) {
  return Walk(problem, schedule).run();
}

AccessCost cost_in(const Problem& problem, const BufferToPlace& buffer, MemoryId memory) {
  const auto times = [](AccessCost cost, std::int64_t count, bool timed) {
    return AccessCost{.time_s = timed ? static_cast<double>(count) * cost.time_s : 0,
                      .energy_j = static_cast<double>(count) * cost.energy_j};
  };
  const AccessCost read = read_cost(problem, memory, buffer.size_bytes);
  const AccessCost write = write_cost(problem, memory, buffer.size_bytes);
  const bool timed = problem.time_mode != TimeMode::Free;
  AccessCost sum = times(read, buffer.reads, true);
  sum += times(write, buffer.writes, true);
  sum += times(read, buffer.transfer_reads, timed);
  sum += times(write, buffer.transfer_writes, timed);
  return sum;
}

}  // namespace poet
