#include "poet/model/onnx_file_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/model/mapped_file.h"
#include "poet/model/onnx_file_tensor.h"
#include "poet/model/onnx_values.h"

namespace poet {
namespace {

constexpr std::size_t kLargestFileBytes = std::numeric_limits<std::int32_t>::max();

void set_values(onnx::TensorProto& proto, std::span<const std::byte> values) {
  proto.clear_float_data();
  proto.clear_double_data();
  proto.clear_int32_data();
  proto.clear_external_data();
  proto.clear_data_location();
  proto.set_raw_data(values.data(), values.size());
}

Failure replace_values(onnx::TensorProto& proto, const OnnxWeight& weight) {
  const Shape shape(proto.dims().begin(), proto.dims().end());
  const OnnxElement element = onnx_element(proto.data_type());
  if (element.used() != ElementType::Float32 || shape != weight.shape ||
      weight.values.size() != static_cast<std::size_t>(value_count(shape)) * sizeof(float))
    return bad_input(fmt::format("the weight {} is another one in the file: {} {}",
                                 in_quotes(weight.name), onnx_element(proto.data_type()).name,
                                 to_text(shape)));
  set_values(proto, element.known
                        ? weight.values
                        : std::span<const std::byte>(in_type_of_file(element.name, weight.values)));
  return std::nullopt;
}

// Before version 4 of the format every initializer is an input too.
void declare_input(onnx::ModelProto& model, const OnnxWeight& weight) {
  if (model.ir_version() >= 4) return;
  onnx::ValueInfoProto& input = *model.mutable_graph()->add_input();
  input.set_name(weight.name);
  onnx::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : weight.shape)
    type.mutable_shape()->add_dim()->set_dim_value(extent);
}

// A node of one output, which is the weight, gives way to an initializer.
Failure replace_node(onnx::ModelProto& model, const OnnxWeight& weight) {
  auto& nodes = *model.mutable_graph()->mutable_node();
  const auto maker = std::find_if(nodes.begin(), nodes.end(), [&weight](const auto& node) {
    return node.output_size() == 1 && node.output(0) == weight.name;
  });
  if (maker == nodes.end())
    return bad_input(fmt::format("the file has no weight {}", in_quotes(weight.name)));
  nodes.erase(maker);
  onnx::TensorProto& proto = *model.mutable_graph()->add_initializer();
  proto.set_name(weight.name);
  proto.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : weight.shape) proto.add_dims(extent);
  set_values(proto, weight.values);
  declare_input(model, weight);
  return std::nullopt;
}

// What stays as it is, but lay in a file beside the original.
Failure take_in(onnx::TensorProto& proto, ExternalFiles& files) {
  if (proto.data_location() != onnx::TensorProto::EXTERNAL) return std::nullopt;
  const Result<OnnxTensor> tensor = read_tensor(proto, nullptr, &files);
  if (!tensor.ok()) return tensor.error();
  if (!tensor->element.used())
    return bad_input(fmt::format("the external data of {} has a type that POET does not support",
                                 in_quotes(proto.name())));
  set_values(proto, tensor->values.bytes);
  return std::nullopt;
}

// Of nodes too: a Constant may have its value in a file.
Failure take_in_attributes(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                           ExternalFiles& files) {
  for (onnx::NodeProto& node : nodes)
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_t())
        if (Failure failure = take_in(*attribute.mutable_t(), files)) return failure;
  return std::nullopt;
}

Failure replace_weights(onnx::ModelProto& model, ExternalFiles& files,
                        const std::vector<OnnxWeight>& weights) {
  std::map<std::string, const OnnxWeight*> waiting;
  for (const OnnxWeight& weight : weights) waiting[weight.name] = &weight;
  for (onnx::TensorProto& proto : *model.mutable_graph()->mutable_initializer()) {
    const auto found = waiting.find(proto.name());
    const bool replaced = found != waiting.end();
    if (Failure failure = replaced ? replace_values(proto, *found->second) : take_in(proto, files))
      return failure;
    if (replaced) waiting.erase(found);
  }
  for (const auto& [name, weight] : waiting)
    if (Failure failure = replace_node(model, *weight)) return failure;
  for (onnx::FunctionProto& function : *model.mutable_functions())
    if (Failure failure = take_in_attributes(*function.mutable_node(), files)) return failure;
  return take_in_attributes(*model.mutable_graph()->mutable_node(), files);
}

}  // namespace

Failure write_onnx_weights(const std::string& original, const std::string& path,
                           const std::vector<OnnxWeight>& weights) {
  const Result<StoredBytes> bytes = map_file(original);
  if (!bytes.ok()) return bytes.error();
  onnx::ModelProto model;
  if (bytes->bytes.size() > kLargestFileBytes ||
      !model.ParseFromArray(bytes->bytes.data(), static_cast<int>(bytes->bytes.size())) ||
      !model.has_graph())
    return bad_input("it is not an ONNX file, or it is cut off", {.file = original});
  ExternalFiles files(original);
  if (Failure failure = replace_weights(model, files, weights))
    return Error{failure->code, failure->message, {.file = original}};
  if (model.ByteSizeLong() > kLargestFileBytes)
    return bad_input("with its weights it would be larger than 2 GiB, which ONNX files cannot be",
                     {.file = path});
  return write_text_file(path, model.SerializeAsString());
}

}  // namespace poet
