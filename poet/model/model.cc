#include "poet/model/model.h"

#include <fmt/format.h>

#include "poet/graph/operator.h"

namespace poet {
namespace {

bool begins_with_values(TensorRole role) {
  return role == TensorRole::Parameter || role == TensorRole::Statistic ||
         role == TensorRole::Constant;
}

Failure check_initial(const Model& model) {
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i) {
    const GraphTensor& tensor = model.graph.tensors[i];
    const auto initial = model.initial.find(static_cast<TensorId>(i));
    const bool has_values = initial != model.initial.end();
    if (has_values != begins_with_values(tensor.role))
      return bad_input(fmt::format("{} ({}) {} initial values", tensor.name,
                                   name_of(kTensorRoles, tensor.role),
                                   has_values ? "cannot have" : "has no"));
    if (!has_values) continue;
    const auto* const stored = std::get_if<StoredBytes>(&initial->second);
    if (stored != nullptr && std::ssize(stored->bytes) != size_bytes(tensor.type))
      return bad_input(fmt::format("{} has {} bytes of initial values, not the {} of {}",
                                   tensor.name, stored->bytes.size(), size_bytes(tensor.type),
                                   to_text(tensor.type)));
  }
  return std::nullopt;
}

Failure check_packed(const Model& model) {
  for (const auto& [id, packed] : model.packed) {
    if (index_of(id) < 0 || index_of(id) >= std::ssize(model.graph.tensors))
      return bad_input("a weight in blocks is not a tensor of the graph");
    const GraphTensor& tensor = at(model.graph.tensors, id);
    Shape shape = packed.shape;
    if (packed.is_transposed && shape.size() == 2) std::swap(shape[0], shape[1]);
    if (tensor.role != TensorRole::Parameter || !are_known(packed.blocks) || shape.size() < 2 ||
        tensor.type != TensorType{ElementType::Float32, shape})
      return bad_input(
          fmt::format("{} ({}) cannot lie in blocks", tensor.name, to_text(tensor.type)));
  }
  return std::nullopt;
}

Failure check_batch_norms(const Model& model) {
  for (const TrainedBatchNorm& norm : model.batch_norms) {
    const auto place = static_cast<std::size_t>(norm.operation);
    if (place >= model.graph.operations.size() ||
        model.graph.operations[place].kind != Operator::BatchNormInference)
      return bad_input("a trained batch norm is not a batch norm of the graph");
  }
  return std::nullopt;
}

Failure check_adapters(const Model& model) {
  for (const Adapter& adapter : model.adapters)
    for (const TensorId id : {adapter.weight, adapter.down, adapter.up})
      if (index_of(id) < 0 || index_of(id) >= std::ssize(model.graph.tensors) ||
          at(model.graph.tensors, id).role != TensorRole::Parameter)
        return bad_input("a part of an adapter is not a parameter of the graph");
  return std::nullopt;
}

}  // namespace

Failure check_model(const Model& model) {
  if (Failure failure = check_graph(model.graph)) return failure;
  if (model.outputs.empty()) return bad_input("the model has no output");
  if (model.outputs.size() != model.graph.outputs.size())
    return bad_input("the model's outputs are not those of its graph");
  for (std::size_t k = 0; k < model.outputs.size(); ++k)
    if (model.outputs[k].tensor != model.graph.outputs[k])
      return bad_input("the model's outputs are not those of its graph");
  const auto tensors = static_cast<std::int64_t>(model.graph.tensors.size());
  for (const NamedTensor& input : model.inputs)
    if (index_of(input.tensor) < 0 || index_of(input.tensor) >= tensors ||
        at(model.graph.tensors, input.tensor).role != TensorRole::Input)
      return bad_input(fmt::format("the input {} is not an input of the graph", input.name));
  if (Failure failure = check_initial(model)) return failure;
  if (Failure failure = check_packed(model)) return failure;
  if (Failure failure = check_batch_norms(model)) return failure;
  return check_adapters(model);
}

}  // namespace poet
