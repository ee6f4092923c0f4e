#include "poet/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "poet/graph/operator_table.h"

namespace poet {
namespace {

Error in_operation(const GraphOperation& operation, const std::string& what) {
  return bad_input(fmt::format("{} ({}): {}", operation.name, entry_of(operation.kind).name, what));
}

Failure check_input_count(const GraphOperation& operation) {
  const OperatorEntry& entry = entry_of(operation.kind);
  const auto count = static_cast<int>(operation.inputs.size());
  if (count >= entry.least_inputs && count <= entry.most_inputs) return std::nullopt;
  const std::string wanted =
      entry.least_inputs == entry.most_inputs
          ? fmt::format("{}", entry.least_inputs.value())
          : fmt::format("{} to {}", entry.least_inputs.value(), entry.most_inputs.value());
  return in_operation(operation, fmt::format("takes {} input{}, not {}", wanted,
                                             entry.most_inputs == 1 ? "" : "s", count));
}

// The types that the operator's own rule gives, checked.
Result<std::vector<TensorType>> output_types(const Graph& graph, const GraphOperation& operation) {
  if (Failure failure = check_input_count(operation)) return *failure;
  Result<std::vector<TensorType>> types =
      entry_of(operation.kind).output_types(types_of(graph, operation));
  if (!types.ok()) return in_operation(operation, types.error().message);
  for (const TensorType& type : *types)
    if (Failure failure = check_shape(type.shape, "the output of " + operation.name))
      return *failure;
  return types;
}

// Walks a graph from the front and remembers what is there already.
class Checker {
 public:
  explicit Checker(const Graph& graph) : graph_(graph), is_there_(graph.tensors.size()) {}

  Failure check() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      if (Failure failure = check_tensor(i)) return failure;
    for (const GraphOperation& operation : graph_.operations)
      if (Failure failure = check_operation(operation)) return failure;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
      if (!is_there_[i])
        return bad_input(fmt::format("{} is made by no operation", graph_.tensors[i].name));
    for (const TensorId output : graph_.outputs)
      if (!exists(output)) return bad_input("an output of the graph is not a tensor of it");
    return std::nullopt;
  }

 private:
  bool exists(TensorId id) const {
    return index_of(id) >= 0 && static_cast<std::size_t>(index_of(id)) < graph_.tensors.size();
  }

  Failure check_tensor(std::size_t i) {
    const GraphTensor& tensor = graph_.tensors[i];
    if (!tensor_names_.insert(tensor.name).second)
      return bad_input(fmt::format("two tensors are called {}", tensor.name));
    is_there_[i] = tensor.home != Home::Made;
    return check_shape(tensor.type.shape, tensor.name);
  }

  Failure check_operation(const GraphOperation& operation) {
    if (!operation_names_.insert(operation.name).second)
      return bad_input(fmt::format("two operations are called {}", operation.name));
    if (Failure failure = check_input_count(operation)) return failure;
    for (const TensorId input : operation.inputs)
      if (!exists(input) || !is_there_[static_cast<std::size_t>(input)])
        return in_operation(operation, "reads a tensor that is not made before it");
    if (operation.outputs.empty()) return in_operation(operation, "has no output");
    for (const TensorId output : operation.outputs) {
      if (!exists(output) || is_there_[static_cast<std::size_t>(output)])
        return in_operation(operation, "makes a tensor that is there already");
      is_there_[static_cast<std::size_t>(output)] = true;
    }
    return check_types(operation);
  }

  Failure check_types(const GraphOperation& operation) const {
    if (entry_of(operation.kind).output_types == nullptr) return std::nullopt;
    const Result<std::vector<TensorType>> types = output_types(graph_, operation);
    if (!types.ok()) return types.error();
    if (*types != types_of(graph_, operation).outputs)
      return in_operation(operation, "has outputs of other types than its rule gives");
    return std::nullopt;
  }

  const Graph& graph_;
  std::vector<bool> is_there_;
  std::set<std::string_view> tensor_names_ = {};
  std::set<std::string_view> operation_names_ = {};
};

}  // namespace

Failure check_graph(const Graph& graph) {
  return Checker(graph).check();
}

TensorId add_tensor(Graph& graph, GraphTensor tensor) {
  graph.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

Result<std::vector<TensorId>> add_operation(Graph& graph, GraphOperation operation) {
  Result<std::vector<TensorType>> types = output_types(graph, operation);
  if (!types.ok()) return types.error();
  for (std::size_t k = 0; k < types->size(); ++k)
    operation.outputs.push_back(add_tensor(
        graph, {.name = k == 0 ? operation.name : fmt::format("{}:{}", operation.name, k),
                .type = (*types)[k]}));
  std::vector<TensorId> outputs = operation.outputs;
  graph.operations.push_back(std::move(operation));
  return outputs;
}

}  // namespace poet
