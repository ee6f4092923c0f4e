#include "poet/model/onnx/node_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/model/onnx/export_names.h"
#include "poet/model/onnx_values.h"

namespace poet {

void NodeImport::refuse(const std::string& what, ErrorCode code) {
  if (!failure_) failure_ = Error{code, title_of(node_) + ": " + what, {}};
}

void NodeImport::refuse_kind(std::string_view name, std::string_view wanted) {
  refuse(fmt::format("the attribute {} must be {}", name, wanted));
}

const OnnxAttribute* NodeImport::find(std::string_view name) {
  asked_.insert(name);
  for (const OnnxAttribute& attribute : node_.attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

bool NodeImport::has_attribute(std::string_view name) {
  return find(name) != nullptr;
}

std::int64_t NodeImport::whole(std::string_view name, std::int64_t otherwise) {
  const OnnxAttribute* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (const auto* const value = std::get_if<std::int64_t>(&attribute->value)) return *value;
  refuse_kind(name, "a whole number");
  return otherwise;
}

float NodeImport::number(std::string_view name, float otherwise) {
  const OnnxAttribute* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (const auto* const value = std::get_if<float>(&attribute->value)) return *value;
  refuse_kind(name, "a number");
  return otherwise;
}

std::string NodeImport::text(std::string_view name, std::string_view otherwise) {
  const OnnxAttribute* const attribute = find(name);
  if (attribute == nullptr) return std::string(otherwise);
  if (const auto* const value = std::get_if<std::string>(&attribute->value)) return *value;
  refuse_kind(name, "a text");
  return std::string(otherwise);
}

std::vector<std::int64_t> NodeImport::wholes(std::string_view name) {
  const OnnxAttribute* const attribute = find(name);
  if (attribute == nullptr) return {};
  if (const auto* const value = std::get_if<std::vector<std::int64_t>>(&attribute->value))
    return *value;
  refuse_kind(name, "a list of whole numbers");
  return {};
}

std::vector<float> NodeImport::numbers(std::string_view name) {
  const OnnxAttribute* const attribute = find(name);
  if (attribute == nullptr) return {};
  if (const auto* const value = std::get_if<std::vector<float>>(&attribute->value)) return *value;
  refuse_kind(name, "a list of numbers");
  return {};
}

std::vector<std::string> NodeImport::texts(std::string_view name) {
  const OnnxAttribute* const attribute = find(name);
  if (attribute == nullptr) return {};
  if (const auto* const value = std::get_if<std::vector<std::string>>(&attribute->value))
    return *value;
  refuse_kind(name, "a list of texts");
  return {};
}

std::optional<Constant> NodeImport::tensor_attribute(std::string_view name) {
  const OnnxAttribute* const attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  const auto* const value = std::get_if<OnnxTensor>(&attribute->value);
  if (value == nullptr) {
    refuse_kind(name, "a tensor");
    return std::nullopt;
  }
  if (!value->element.used()) {
    refuse(fmt::format("the attribute {} has {} values, which POET does not support", name,
                       value->element.name),
           ErrorCode::Unsupported);
    return std::nullopt;
  }
  const Result<OnnxTensor> ours = in_type_of_ours(*value);
  if (!ours.ok()) {
    refuse(ours.error().message);
    return std::nullopt;
  }
  state_.take_as(value->element);
  return Constant{{*ours->element.known, ours->shape}, ours->values};
}

std::optional<ElementType> NodeImport::element_attribute(std::string_view name,
                                                         std::int64_t otherwise) {
  const OnnxElement element = onnx_element(whole(name, otherwise));
  if (!element.used())
    refuse(fmt::format("POET has no {} values", element.name), ErrorCode::Unsupported);
  state_.take_as(element);
  return element.used();
}

bool NodeImport::has_input(int i) const {
  return i < input_count() && !node_.inputs[static_cast<std::size_t>(i)].empty();
}

void NodeImport::expect_inputs(int least, int most) {
  const int count = input_count();
  if (count >= least && count <= most) return;
  refuse(
      fmt::format("takes {} input{}, not {}",
                  least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most),
                  most == 1 ? "" : "s", count));
}

ImportedValue* NodeImport::value(int i) {
  if (failed()) return nullptr;
  if (!has_input(i)) {
    refuse(fmt::format("its input {} is missing", i));
    return nullptr;
  }
  const ValueId* const id = state_.find(node_.inputs[static_cast<std::size_t>(i)]);
  if (id != nullptr) return &state_[*id];
  refuse(fmt::format("its input {} is made by no node before it",
                     in_quotes(node_.inputs[static_cast<std::size_t>(i)])));
  return nullptr;
}

TensorType NodeImport::type(int i) {
  const ImportedValue* const there = value(i);
  if (there == nullptr) return {};
  return there->constant ? there->constant->type : type_of(*there->tensor);
}

TensorId NodeImport::tensor(int i) {
  if (value(i) == nullptr) return {};
  const Result<TensorId> tensor =
      state_.tensor_of(*state_.find(node_.inputs[static_cast<std::size_t>(i)]));
  if (tensor.ok()) return *tensor;
  refuse(tensor.error().message);
  return {};
}

TensorId NodeImport::weight(int i) {
  if (value(i) == nullptr) return {};
  const Result<TensorId> tensor =
      state_.weight_of(*state_.find(node_.inputs[static_cast<std::size_t>(i)]));
  if (tensor.ok()) return *tensor;
  refuse(tensor.error().message);
  return {};
}

TensorId NodeImport::statistic(int i) {
  if (value(i) == nullptr) return {};
  const Result<TensorId> tensor =
      state_.statistic_of(*state_.find(node_.inputs[static_cast<std::size_t>(i)]));
  if (tensor.ok()) return *tensor;
  refuse(tensor.error().message);
  return {};
}

TensorId NodeImport::fixed(int i) {
  if (value(i) == nullptr) return {};
  const Result<TensorId> tensor =
      state_.fixed_of(*state_.find(node_.inputs[static_cast<std::size_t>(i)]));
  if (tensor.ok()) return *tensor;
  refuse(tensor.error().message);
  return {};
}

const Constant* NodeImport::constant(int i) {
  const ImportedValue* const there = value(i);
  return there == nullptr || !there->constant ? nullptr : &*there->constant;
}

bool NodeImport::is_trainable(int i) {
  const ImportedValue* const there = value(i);
  return there != nullptr && there->trainable;
}

bool NodeImport::is_filler(int i, float value) {
  const Constant* const known = constant(i);
  if (known == nullptr || known->type.element != ElementType::Float32) return false;
  if (!was_calculated(node_.inputs[static_cast<std::size_t>(i)])) return false;
  if (value_count(known->type.shape) > kLargestKnownArray) return false;
  const KnownArray values = array_of(*known);
  return std::all_of(values.floats().begin(), values.floats().end(),
                     [value](float one) { return one == value; });
}

bool NodeImport::is_foldable(int i) {
  const ImportedValue* const there = value(i);
  return there != nullptr && there->is_foldable() &&
         value_count(there->constant->type.shape) <= kLargestKnownArray;
}

KnownArray NodeImport::array(int i) {
  const Constant* const known = constant(i);
  if (known != nullptr && value_count(known->type.shape) <= kLargestKnownArray)
    return array_of(*known);
  refuse(fmt::format("its input {} must be known before the network runs", i));
  return {};
}

// A shape may have as many dimensions as a tensor has values: shown are no more than can be read.
void NodeImport::expect_extents(const Shape& shape) {
  const auto wrong =
      std::find_if(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; });
  if (wrong == shape.end()) return;
  constexpr std::size_t kMostShown = 16;
  refuse(shape.size() <= kMostShown
             ? fmt::format("its shape is {}", to_text(shape))
             : fmt::format("its shape has {} dimensions, and the extent {} among them",
                           shape.size(), *wrong));
}

std::vector<std::int64_t> NodeImport::known_wholes(int i, std::string_view what) {
  const Constant* const known = constant(i);
  if (known == nullptr || value_count(known->type.shape) > kLargestKnownArray) {
    refuse(fmt::format("{} must be known before the network runs", what));
    return {};
  }
  if (known->type.element != ElementType::Int64 && known->type.element != ElementType::Int32) {
    refuse(fmt::format("{} must be whole numbers, not {}", what, to_text(known->type)));
    return {};
  }
  return array_of(*known).wholes();
}

double NodeImport::known_number(int i, std::string_view what) {
  const Constant* const known = constant(i);
  const std::optional<double> number = known == nullptr ? std::nullopt : single_value(*known);
  if (!number) refuse(fmt::format("{} must be one number known before the network runs", what));
  return number.value_or(0);
}

std::int64_t NodeImport::axis(std::int64_t given, std::int64_t rank) {
  if (given >= -rank && given < rank) return given < 0 ? given + rank : given;
  refuse(fmt::format("axis {} is not one of the {} dimensions", given, rank));
  return 0;
}

std::vector<std::int64_t> NodeImport::axes(const std::vector<std::int64_t>& given,
                                           std::int64_t rank) {
  std::vector<std::int64_t> axes;
  for (const std::int64_t one : given) axes.push_back(axis(one, rank));
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end() && !failed())
    refuse("an axis is given twice");
  return failed() ? std::vector<std::int64_t>{} : axes;
}

std::string NodeImport::operation_name() {
  return state_.new_operation_name(!node_.name.empty()      ? node_.name
                                   : !node_.outputs.empty() ? node_.outputs.front()
                                                            : node_.op_type);
}

std::vector<TensorId> NodeImport::add_all(Operator kind, Attributes attributes,
                                          std::vector<TensorId> inputs) {
  if (failed()) return {};
  Result<std::vector<TensorId>> outputs = state_.add_operation({.name = operation_name(),
                                                                .kind = kind,
                                                                .attributes = std::move(attributes),
                                                                .inputs = std::move(inputs)});
  if (!outputs.ok()) {
    failure_ = outputs.error();
    return {};
  }
  made_.insert(outputs->begin(), outputs->end());
  return *std::move(outputs);
}

TensorId NodeImport::known(const Constant& constant, const std::string& name) {
  if (failed()) return {};
  if (Failure failure = check_shape(constant.type.shape, name)) {
    refuse(failure->message);
    return {};
  }
  return state_.tensor_of(constant, name);
}

TensorId NodeImport::step() {
  if (failed()) return {};
  return state_.step();
}

std::int32_t NodeImport::new_dropout_number() {
  const std::vector<GraphOperation>& operations = state_.model.graph.operations;
  return static_cast<std::int32_t>(std::count_if(
      operations.begin(), operations.end(),
      [](const GraphOperation& operation) { return operation.kind == Operator::Dropout; }));
}

TensorId NodeImport::batch_norm(TensorId x, const BatchNormTensors& tensors, float epsilon,
                                const std::optional<BatchNormRule>& rule) {
  if (failed()) return {};
  const Result<TensorId> y =
      add_batch_norm(state_.model, operation_name(), x, tensors, epsilon, rule);
  if (!y.ok()) {
    failure_ = y.error();
    return {};
  }
  made_.insert(*y);
  return *y;
}

bool NodeImport::wants_output(int k) const {
  return k < output_count() && !node_.outputs[static_cast<std::size_t>(k)].empty();
}

bool NodeImport::is_needed(int k) const {
  return wants_output(k) && state_.is_needed(node_.outputs[static_cast<std::size_t>(k)]);
}

void NodeImport::output(int k, TensorId tensor) {
  if (failed() || !wants_output(k)) return;
  const std::string& name = node_.outputs[static_cast<std::size_t>(k)];
  if (made_.erase(tensor) > 0) state_.rename(tensor, name);
  state_.add_value({.name = name, .tensor = tensor});
}

void NodeImport::output(int k, Constant constant) {
  if (failed() || !wants_output(k)) return;
  // Extents may be 0, but sizes that are calculated with them must not overflow.
  Shape at_least_one = constant.type.shape;
  for (std::int64_t& extent : at_least_one) extent += extent == 0 ? 1 : 0;
  if (Failure failure = check_shape(at_least_one, "its output")) return refuse(failure->message);
  state_.add_value(
      {.name = node_.outputs[static_cast<std::size_t>(k)], .constant = std::move(constant)});
}

void NodeImport::output(int k, const KnownArray& array) {
  if (failed() || !wants_output(k)) return;
  if (!state_.calculates(size_bytes(array.type)))
    return refuse(
        fmt::format("with it, more than {} bytes would be calculated before the network runs",
                    kMostCalculatedBytes));
  output(k, constant_of(array));
}

void NodeImport::output_input(int k, int i) {
  if (value(i) == nullptr || !wants_output(k)) return;
  state_.add_name(node_.outputs[static_cast<std::size_t>(k)],
                  *state_.find(node_.inputs[static_cast<std::size_t>(i)]));
}

void NodeImport::finish() {
  if (failed()) return;
  for (const OnnxAttribute& attribute : node_.attributes)
    if (asked_.count(attribute.name) == 0)
      return refuse(fmt::format("POET does not know its attribute {}", in_quotes(attribute.name)),
                    ErrorCode::Unsupported);
  for (int k = 0; k < output_count(); ++k) {
    const std::string& output = node_.outputs[static_cast<std::size_t>(k)];
    if (is_needed(k) && state_.find(output) == nullptr)
      return refuse(fmt::format("POET does not make its output {}", in_quotes(output)),
                    ErrorCode::Unsupported);
  }
}

}  // namespace poet
