#include "poet/kernels/evaluate.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "poet/base/check.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

template <typename T>
TensorValue tensor_of(const TensorType& type, const std::vector<T>& values) {
  TensorValue tensor{.type = type, .bytes = std::vector<std::byte>(values.size() * sizeof(T))};
  POET_CHECK(static_cast<std::int64_t>(tensor.bytes.size()) == size_bytes(type));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

using Bytes = std::vector<std::byte>;

// Where a tensor's values are. Views share what they look at.
struct Place {
  const std::byte* begin = nullptr;
  std::shared_ptr<const Bytes> owned = {};  // null for what the caller owns
};

class Evaluation {
 public:
  Evaluation(const Graph& graph, const std::map<TensorId, TensorView>& given,
             const std::vector<TensorId>& wanted, const KernelSet& kernels)
      : kernels_(kernels),
        graph_(graph),
        given_(given),
        wanted_(wanted),
        is_needed_(graph.operations.size()),
        uses_left_(graph.tensors.size()),
        places_(graph.tensors.size()) {}

  Result<std::vector<TensorValue>> values() {
    for (const TensorId tensor : wanted_)
      if (index_of(tensor) < 0 ||
          static_cast<std::size_t>(index_of(tensor)) >= graph_.tensors.size())
        return bad_input(fmt::format("{} has no tensor number {}", graph_.name, index_of(tensor)));
    mark_needed();
    if (Failure failure = take_given()) return *failure;
    for (std::size_t i = 0; i < graph_.operations.size(); ++i)
      if (is_needed_[i]) execute(graph_.operations[i]);
    std::vector<TensorValue> result;
    for (const TensorId tensor : wanted_) result.push_back(copied(tensor));
    return result;
  }

 private:
  // Walks back from what is wanted. A use is a read by a needed operation, or a wish.
  void mark_needed() {
    for (const TensorId tensor : wanted_) ++at(uses_left_, tensor);
    for (std::size_t i = graph_.operations.size(); i-- > 0;) {
      const GraphOperation& operation = graph_.operations[i];
      for (const TensorId output : operation.outputs)
        is_needed_[i] = is_needed_[i] || (at(uses_left_, output) > 0 && !given_.contains(output));
      if (!is_needed_[i]) continue;
      for (const TensorId input : operation.inputs) ++at(uses_left_, input);
    }
  }

  Failure take_given() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const GraphTensor& tensor = graph_.tensors[i];
      const auto value = given_.find(static_cast<TensorId>(i));
      if (uses_left_[i] == 0) continue;
      if (value == given_.end()) {
        if (tensor.home == Home::Made) continue;
        return bad_input(fmt::format("{} needs a value", tensor.name));
      }
      if (Failure failure = check_value(tensor, value->second)) return failure;
      places_[i] = placed(value->second);
    }
    return std::nullopt;
  }

  static Failure check_value(const GraphTensor& tensor, const TensorView& value) {
    if (value.type != tensor.type)
      return bad_input(fmt::format("{} is {}, and cannot have the value {}", tensor.name,
                                   to_text(tensor.type), to_text(value.type)));
    if (static_cast<std::int64_t>(value.bytes.size()) == size_bytes(tensor.type))
      return std::nullopt;
    return bad_input(fmt::format("{} has {} bytes, and cannot have a value of {}", tensor.name,
                                 size_bytes(tensor.type), value.bytes.size()));
  }

  // Kernels want aligned values; a piece of a file may lie anywhere.
  static Place placed(const TensorView& value) {
    const auto address = reinterpret_cast<std::uintptr_t>(value.bytes.data());
    if (address % static_cast<std::uintptr_t>(byte_size(value.type.element)) == 0)
      return {.begin = value.bytes.data()};
    const auto copy = std::make_shared<const Bytes>(value.bytes.begin(), value.bytes.end());
    return {.begin = copy->data(), .owned = copy};
  }

  void execute(const GraphOperation& operation) {
    const OperatorEntry& entry = entry_of(operation.kind);
    if (entry.view)
      set(operation.outputs[0], at(places_, operation.inputs[0]));
    else
      call_kernel(operation);
    for (const TensorId input : operation.inputs)
      if (--at(uses_left_, input) == 0) at(places_, input) = {};
  }

  void call_kernel(const GraphOperation& operation) {
    std::vector<const void*> inputs;
    for (const TensorId input : operation.inputs) inputs.push_back(at(places_, input).begin);
    std::vector<std::shared_ptr<Bytes>> made;
    std::vector<void*> outputs;
    for (const TensorId output : operation.outputs) {
      const auto size = static_cast<std::size_t>(size_bytes(at(graph_.tensors, output).type));
      made.push_back(std::make_shared<Bytes>(size));
      outputs.push_back(made.back()->data());
    }
    const std::unique_ptr<ReadyOperation> ready = kernels_.ready(types_of(graph_, operation));
    Bytes workspace(static_cast<std::size_t>(ready->workspace_bytes()));
    ready->run(inputs, outputs, workspace.data());
    for (std::size_t k = 0; k < made.size(); ++k)
      set(operation.outputs[k], {.begin = made[k]->data(), .owned = made[k]});
  }

  // What nobody reads, or what was given, is not kept.
  void set(TensorId tensor, const Place& place) {
    if (at(uses_left_, tensor) > 0 && at(places_, tensor).begin == nullptr)
      at(places_, tensor) = place;
  }

  TensorValue copied(TensorId tensor) const {
    const TensorType& type = at(graph_.tensors, tensor).type;
    const std::byte* const begin = at(places_, tensor).begin;
    POET_CHECK(begin != nullptr);
    return {.type = type, .bytes = Bytes(begin, begin + size_bytes(type))};
  }

  const KernelSet& kernels_;
  const Graph& graph_;
  const std::map<TensorId, TensorView>& given_;
  const std::vector<TensorId>& wanted_;
  std::vector<bool> is_needed_;
  std::vector<std::int64_t> uses_left_;
  std::vector<Place> places_;
};

}  // namespace

TensorValue float_tensor(const Shape& shape, const std::vector<float>& values) {
  return tensor_of({ElementType::Float32, shape}, values);
}

TensorValue int64_tensor(const Shape& shape, const std::vector<std::int64_t>& values) {
  return tensor_of({ElementType::Int64, shape}, values);
}

std::vector<float> floats_of(const TensorValue& value) {
  POET_CHECK(value.type.element == ElementType::Float32);
  std::vector<float> values(value.bytes.size() / sizeof(float));
  std::memcpy(values.data(), value.bytes.data(), value.bytes.size());
  return values;
}

Result<std::vector<TensorValue>> evaluate(const Graph& graph,
                                          const std::map<TensorId, TensorView>& given,
                                          const std::vector<TensorId>& wanted,
                                          const KernelSet& kernels) {
  if (Failure failure = check_graph(graph)) return *failure;
  return Evaluation(graph, given, wanted, kernels).values();
}

}  // namespace poet
