#include "poet/model/onnx/import_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "poet/base/checked_math.h"
#include "poet/model/onnx/export_names.h"

namespace poet {
namespace {

// Shapes are what somebody wrote: what is larger than this is as large.
constexpr std::int64_t kMostValues = std::int64_t{1} << 48;

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent <= 0) return 0;
    count = std::min(checked_multiply(count, extent).value_or(kMostValues), kMostValues);
  }
  return count;
}

// How many values a node makes by a rule whose shape stands in the file; 0 for every other node.
std::int64_t count_made(const OnnxModel& file, const OnnxNode& node) {
  if (node.op_type != "ConstantOfShape" || node.inputs.empty()) return 0;
  for (const OnnxTensor& tensor : file.initializers) {
    if (tensor.name != node.inputs[0] || tensor.element.known != ElementType::Int64) continue;
    const std::size_t size_bytes =
        static_cast<std::size_t>(count_of(tensor.shape)) * sizeof(std::int64_t);
    if (size_bytes == 0 || tensor.values.bytes.size() != size_bytes) return 0;
    Shape shape(size_bytes / sizeof(std::int64_t));
    std::memcpy(shape.data(), tensor.values.bytes.data(), size_bytes);
    return count_of(shape);
  }
  return 0;
}

}  // namespace

bool is_trainable(const OnnxModel& file, const OnnxTensor& tensor) {
  if (tensor.element.used() != ElementType::Float32) return false;
  if (!tensor.shape.empty()) return true;
  return file.producer == "pytorch" && !was_calculated(tensor.name) &&
         !was_made_in_passing(tensor.name);
}

std::string NewNames::give(const std::string& wanted) {
  std::string name = wanted;
  for (int& i = counts_[wanted]; !taken_.insert(name).second; ++i)
    name = fmt::format("{}_{}", wanted, i + 2);
  return name;
}

ImportState::ImportState(const OnnxModel& file, const OnnxImportOptions& options,
                         std::set<std::string> needed)
    : options_(options), opset_(file.opset), needed_(std::move(needed)) {
  model.graph.name = file.graph_name;
  std::int64_t stored_values = 0, made_values = 0;
  for (const OnnxTensor& tensor : file.initializers) {
    tensor_names_.take(tensor.name);
    if (is_needed(tensor.name) && is_trainable(file, tensor))
      stored_values = std::min(stored_values + count_of(tensor.shape), kMostValues);
  }
  for (const OnnxInput& input : file.inputs) tensor_names_.take(input.name);
  for (const OnnxNode& node : file.nodes)
    for (const std::string& output : node.outputs) tensor_names_.take(output);
  for (const OnnxNode& node : file.nodes)
    if (!node.outputs.empty() && is_needed(node.outputs[0]))
      made_values = std::min(made_values + count_made(file, node), kMostValues);
  weights_lie_in_nodes_ = stored_values == 0 || made_values > stored_values;
}

const ValueId* ImportState::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

ValueId ImportState::add_value(ImportedValue value) {
  const auto id = static_cast<ValueId>(values_.size());
  by_name_[value.name] = id;
  values_.push_back(std::move(value));
  return id;
}

void ImportState::add_name(const std::string& name, ValueId value) {
  by_name_[name] = value;
}

std::string ImportState::new_tensor_name(const std::string& wanted) {
  return tensor_names_.give(wanted);
}

std::string ImportState::new_operation_name(const std::string& wanted) {
  return operation_names_.give(wanted);
}

TensorId ImportState::tensor_of(const Constant& constant, const std::string& name) {
  const TensorId tensor = add_tensor(model.graph, {.name = new_tensor_name(name),
                                                   .type = constant.type,
                                                   .role = TensorRole::Constant,
                                                   .home = Home::Rom});
  model.initial[tensor] = constant.values;
  return tensor;
}

TensorId ImportState::step() {
  if (!model.step)
    model.step = add_tensor(model.graph, {.name = new_tensor_name("step"),
                                          .type = step_type(),
                                          .role = TensorRole::Step,
                                          .home = Home::Resident});
  return *model.step;
}

Result<TensorId> ImportState::given_tensor(const ImportedValue& value, TensorRole role) {
  if (Failure failure = check_shape(value.constant->type.shape, value.name)) return *failure;
  const bool name_is_free = !value.tensor && !value.statistic && !value.fixed;
  const TensorId tensor =
      add_tensor(model.graph, {.name = name_is_free ? value.name : new_tensor_name(value.name),
                               .type = value.constant->type,
                               .role = role,
                               .home = role == TensorRole::Constant ? Home::Rom : Home::Storage});
  model.initial[tensor] = value.constant->values;
  return tensor;
}

Result<TensorId> ImportState::tensor_of(ValueId id) {
  ImportedValue& value = (*this)[id];
  if (value.tensor) return *value.tensor;
  Result<TensorId> tensor =
      given_tensor(value, value.trainable ? TensorRole::Parameter : TensorRole::Constant);
  if (tensor.ok()) value.tensor = *tensor;
  return tensor;
}

Result<TensorId> ImportState::weight_of(ValueId id) {
  Result<TensorId> tensor = tensor_of(id);
  const ImportedValue& value = (*this)[id];
  if (!tensor.ok() || !value.constant) return tensor;
  if (!value.may_be_weight && !weights_lie_in_nodes_) return tensor;
  GraphTensor& there = at(model.graph.tensors, *tensor);
  if (there.type.element == ElementType::Float32) {
    there.role = TensorRole::Parameter;
    there.home = Home::Storage;
  }
  return tensor;
}

Result<TensorId> ImportState::statistic_of(ValueId id) {
  ImportedValue& value = (*this)[id];
  if (!value.constant || value.constant->type.element != ElementType::Float32) return tensor_of(id);
  if (value.statistic) return *value.statistic;
  Result<TensorId> tensor = given_tensor(value, TensorRole::Statistic);
  if (tensor.ok()) value.statistic = *tensor;
  return tensor;
}

Result<TensorId> ImportState::fixed_of(ValueId id) {
  ImportedValue& value = (*this)[id];
  if (!value.trainable) return tensor_of(id);
  if (value.fixed) return *value.fixed;
  Result<TensorId> tensor = given_tensor(value, TensorRole::Constant);
  if (tensor.ok()) value.fixed = *tensor;
  return tensor;
}

Result<std::vector<TensorId>> ImportState::add_operation(GraphOperation operation) {
  const std::string name = operation.name;
  Result<std::vector<TensorId>> outputs = poet::add_operation(model.graph, std::move(operation));
  if (!outputs.ok()) return outputs;
  for (std::size_t k = 0; k < outputs->size(); ++k)
    rename((*outputs)[k], new_tensor_name(k == 0 ? name : fmt::format("{}:{}", name, k)));
  return outputs;
}

}  // namespace poet
