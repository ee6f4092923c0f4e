#include "poet/parts/stages.h"

#include <set>
#include <utility>

#include "poet/parts/loss_stages.h"
#include "poet/parts/stage_list.h"

namespace poet {

std::int64_t bytes_at_once(const Graph& graph, const GraphOperation& operation) {
  std::set<TensorId> tensors(operation.inputs.begin(), operation.inputs.end());
  tensors.insert(operation.outputs.begin(), operation.outputs.end());
  std::int64_t bytes = 0;
  for (const TensorId tensor : tensors) bytes += size_bytes(at(graph.tensors, tensor).type);
  return bytes;
}

TensorId StageList::tensor(const std::string& what, Shape shape) {
  std::vector<GraphTensor>& tensors = step_.graph.tensors;
  tensors.push_back({.name = whole_.name + "." + what,
                     .type = {ElementType::Float32, std::move(shape)},
                     .role = whole_.backward ? TensorRole::Gradient : TensorRole::Activation});
  return static_cast<TensorId>(tensors.size() - 1);
}

TensorId StageList::number(const std::string& what, double value, TensorId like) {
  const Home home = at(step_.graph.tensors, like).home;
  const TensorId made = tensor(what, {});
  GraphTensor& number = at(step_.graph.tensors, made);
  number.role = TensorRole::Constant;
  number.home = home == Home::Made ? Home::Rom : home;
  step_.initial.emplace(made, FilledWith{value});
  return made;
}

TensorId StageList::add(const std::string& what, Operator kind, const Attributes& attributes,
                        std::vector<TensorId> inputs, Shape shape) {
  const TensorId made = tensor(what, std::move(shape));
  make(what, kind, attributes, std::move(inputs), {made});
  return made;
}

void StageList::make(const std::string& what, Operator kind, const Attributes& attributes,
                     std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
  operations_.push_back({.name = whole_.name + "." + what,
                         .kind = kind,
                         .attributes = attributes,
                         .inputs = std::move(inputs),
                         .outputs = std::move(outputs),
                         .backward = whole_.backward});
}

TrainingGraph with_stages(TrainingGraph step, std::int64_t most_bytes) {
  const std::vector<GraphOperation> whole = std::move(step.graph.operations);
  std::vector<GraphOperation> operations;
  LossStages losses(step.graph, most_bytes);
  for (const GraphOperation& operation : whole) {
    StageList stages(step, operation, operations);
    if (is_too_large_norm(step.graph, operation, most_bytes))
      add_norm_stages(stages);
    else if (losses.are_wanted(operation))
      losses.add(stages);
    else
      operations.push_back(operation);
  }
  step.graph.operations = std::move(operations);
  return step;
}

}  // namespace poet
