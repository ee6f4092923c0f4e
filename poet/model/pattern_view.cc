#include "poet/model/pattern_view.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace poet {

PatternView::PatternView(const Model& model)
    : model_(model),
      makers_(model.graph.tensors.size()),
      readers_(model.graph.tensors.size()),
      read_count_(model.graph.tensors.size()) {
  for (std::size_t i = 0; i < model.graph.operations.size(); ++i) {
    const GraphOperation& operation = model.graph.operations[i];
    for (const TensorId output : operation.outputs)
      at(makers_, output) = static_cast<OperationId>(i);
    for (const TensorId input : operation.inputs) {
      at(readers_, input) = static_cast<OperationId>(i);
      ++at(read_count_, input);
    }
  }
  for (const TensorId output : model.graph.outputs) ++at(read_count_, output);
}

const GraphOperation* PatternView::maker(TensorId tensor, Operator kind) const {
  const std::optional<OperationId>& id = at(makers_, tensor);
  if (!id) return nullptr;
  const GraphOperation& operation = at(model_.graph.operations, *id);
  return operation.kind == kind ? &operation : nullptr;
}

const GraphOperation* PatternView::private_maker(TensorId tensor, Operator kind) const {
  return is_read_once(tensor) ? maker(tensor, kind) : nullptr;
}

const GraphOperation* PatternView::only_reader(TensorId tensor, Operator kind) const {
  const std::optional<OperationId>& id = at(readers_, tensor);
  if (!is_read_once(tensor) || !id) return nullptr;
  const GraphOperation& operation = at(model_.graph.operations, *id);
  return operation.kind == kind ? &operation : nullptr;
}

std::optional<float> PatternView::number(TensorId tensor) const {
  const GraphTensor& there = at(model_.graph.tensors, tensor);
  if (there.role != TensorRole::Constant || there.type.element != ElementType::Float32 ||
      value_count(there.type.shape) != 1)
    return std::nullopt;
  const std::vector<std::byte> bytes = initial_bytes(model_.initial.at(tensor), there.type);
  float value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool PatternView::is_number(TensorId tensor, double wanted) const {
  constexpr double kRounding = 2e-7;
  const std::optional<float> value = number(tensor);
  return value && std::abs(*value - wanted) <= kRounding * std::abs(wanted);
}

std::vector<TensorId> PatternView::factors(TensorId product) const {
  std::vector<TensorId> found;
  std::vector<TensorId> waiting{product};
  while (!waiting.empty()) {
    const TensorId factor = waiting.back();
    waiting.pop_back();
    const GraphOperation* const mul =
        factor == product ? maker(factor, Operator::Mul) : private_maker(factor, Operator::Mul);
    if (mul == nullptr)
      found.push_back(factor);
    else
      waiting.insert(waiting.end(), mul->inputs.begin(), mul->inputs.end());
  }
  return found;
}

std::optional<TensorId> other_input(const GraphOperation& operation, TensorId known) {
  if (operation.inputs.size() != 2) return std::nullopt;
  if (operation.inputs[0] == known) return operation.inputs[1];
  if (operation.inputs[1] == known) return operation.inputs[0];
  return std::nullopt;
}

bool take_out(std::vector<TensorId>& list, TensorId tensor) {
  const auto found = std::find(list.begin(), list.end(), tensor);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

}  // namespace poet
