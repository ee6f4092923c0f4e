// What is true of every tensor between two actions (docs/model/problem.md §2.2).
#include "poet/verify/step_state.h"

#include "poet/problem/memories.h"

namespace poet {
namespace {

bool is_fixed(const Tensor& tensor, TensorId id, const std::vector<bool>& chosen) {
  if (tensor.home == Home::Rom || tensor.home == Home::Resident) return true;
  return chosen[index_of(tensor.updates.value_or(id))];
}

TensorState tensor_before_step(const Tensor& tensor, TensorId id, const std::vector<bool>& chosen) {
  TensorState state;
  state.fixed = is_fixed(tensor, id, chosen);
  state.present = state.fixed && !tensor.updates;
  state.copied = tensor.home == Home::Storage;
  return state;
}

}  // namespace

bool may_be_chosen_resident(const Tensor& tensor) {
  return tensor.may_be_resident && tensor.home == Home::Storage;
}

StepState state_before_step(const Problem& problem, const std::vector<bool>& chosen) {
  StepState state;
  state.executed.resize(problem.operations.size(), false);
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    const TensorId id{static_cast<std::int32_t>(i)};
    state.tensors.push_back(tensor_before_step(tensor, id, chosen));
    // A resident chosen from storage keeps its place there: checkpoints write it.
    if (tensor.home == Home::Storage && !tensor.view_of) state.storage_bytes += tensor.size_bytes;
  }
  return state;
}

std::vector<std::int64_t> fixed_bytes(const Problem& problem, const std::vector<bool>& chosen,
                                      const StepState& state) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(memory_count(problem)), 0);
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    if (tensor.view_of || tensor.updates) continue;
    if (tensor.home == Home::Resident || chosen[i])
      at(bytes, state.tensors[i].memory) += tensor.size_bytes;
  }
  return bytes;
}

}  // namespace poet
