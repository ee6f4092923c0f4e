#include "poet/model/remove_unused.h"

#include <algorithm>
#include <utility>

namespace poet {
namespace {

// What is kept, by position, and where it goes.
struct Kept {
  std::vector<bool> operations;
  std::vector<bool> tensors;
};

Kept what_to_keep(const Model& model) {
  Kept kept{std::vector<bool>(model.graph.operations.size()),
            std::vector<bool>(model.graph.tensors.size())};
  const auto keep = [&kept](TensorId id) { kept.tensors[static_cast<std::size_t>(id)] = true; };
  for (const NamedTensor& input : model.inputs) keep(input.tensor);
  for (const NamedTensor& output : model.outputs) keep(output.tensor);
  for (std::size_t i = model.graph.operations.size(); i-- > 0;) {
    const GraphOperation& operation = model.graph.operations[i];
    kept.operations[i] = std::any_of(
        operation.outputs.begin(), operation.outputs.end(),
        [&kept](TensorId output) { return kept.tensors[static_cast<std::size_t>(output)]; });
    if (!kept.operations[i]) continue;
    for (const TensorId input : operation.inputs) keep(input);
    for (const TensorId output : operation.outputs) keep(output);
  }
  return kept;
}

// New positions of what is kept; those of others are not used.
std::vector<std::int32_t> new_positions(const std::vector<bool>& kept) {
  std::vector<std::int32_t> positions(kept.size());
  std::int32_t next = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) positions[i] = kept[i] ? next++ : -1;
  return positions;
}

template <typename T>
void keep_only(std::vector<T>& list, const std::vector<bool>& kept) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (kept[i]) {
      if (next != i) list[next] = std::move(list[i]);
      ++next;
    }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(next), list.end());
}

}  // namespace

void remove_unused(Model& model) {
  const Kept kept = what_to_keep(model);
  const std::vector<std::int32_t> tensors = new_positions(kept.tensors);
  const std::vector<std::int32_t> operations = new_positions(kept.operations);
  const auto moved = [&tensors](TensorId id) {
    return static_cast<TensorId>(tensors[static_cast<std::size_t>(id)]);
  };

  keep_only(model.graph.tensors, kept.tensors);
  keep_only(model.graph.operations, kept.operations);
  for (GraphOperation& operation : model.graph.operations) {
    for (TensorId& input : operation.inputs) input = moved(input);
    for (TensorId& output : operation.outputs) output = moved(output);
  }
  for (TensorId& output : model.graph.outputs) output = moved(output);
  for (NamedTensor& input : model.inputs) input.tensor = moved(input.tensor);
  for (NamedTensor& output : model.outputs) output.tensor = moved(output.tensor);

  std::map<TensorId, Initial> initial;
  for (auto& [id, values] : model.initial)
    if (kept.tensors[static_cast<std::size_t>(id)]) initial[moved(id)] = std::move(values);
  model.initial = std::move(initial);
  std::erase_if(model.batch_norms, [&kept](const TrainedBatchNorm& norm) {
    return !kept.operations[static_cast<std::size_t>(norm.operation)];
  });
  for (TrainedBatchNorm& norm : model.batch_norms)
    norm.operation = static_cast<OperationId>(operations[static_cast<std::size_t>(norm.operation)]);
  std::erase_if(model.adapters, [&kept](const Adapter& adapter) {
    return !kept.tensors[static_cast<std::size_t>(adapter.weight)] ||
           !kept.tensors[static_cast<std::size_t>(adapter.down)];
  });
  for (Adapter& adapter : model.adapters)
    for (TensorId* const id : {&adapter.weight, &adapter.down, &adapter.up}) *id = moved(*id);
  if (model.step && !kept.tensors[static_cast<std::size_t>(*model.step)]) model.step.reset();
  if (model.step) model.step = moved(*model.step);
}

}  // namespace poet
