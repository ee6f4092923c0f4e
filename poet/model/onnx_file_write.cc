#include <fmt/format.h>

#include <limits>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/text_file.h"
#include "poet/model/onnx_export.h"
#include "poet/model/onnx_file_tensor.h"

namespace poet {
namespace {

constexpr std::size_t kLargestWrittenBytes = std::numeric_limits<std::int32_t>::max();

int data_type_of(ElementType element) {
  switch (element) {
    case ElementType::Float32:
      return onnx::TensorProto::FLOAT;
    case ElementType::Int64:
      return onnx::TensorProto::INT64;
    case ElementType::Int32:
      return onnx::TensorProto::INT32;
    case ElementType::Uint8:
      return onnx::TensorProto::UINT8;
    case ElementType::Bool:
      return onnx::TensorProto::BOOL;
  }
  return onnx::TensorProto::UNDEFINED;
}

void write_tensor(const OnnxTensor& tensor, onnx::TensorProto& proto) {
  POET_CHECK(tensor.element.known.has_value());
  proto.set_name(tensor.name);
  proto.set_data_type(data_type_of(*tensor.element.known));
  for (const std::int64_t extent : tensor.shape) proto.add_dims(extent);
  proto.set_raw_data(tensor.values.bytes.data(), tensor.values.bytes.size());
}

void write_type(const OnnxInput& input, onnx::ValueInfoProto& proto) {
  POET_CHECK(input.element.known && input.shape);
  proto.set_name(input.name);
  onnx::TypeProto::Tensor& type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(data_type_of(*input.element.known));
  type.mutable_shape();
  for (const OnnxDimension& dimension : *input.shape)
    type.mutable_shape()->add_dim()->set_dim_value(std::get<std::int64_t>(dimension));
}

// Writes the value of an attribute into its message.
struct AttributeWriter {
  onnx::AttributeProto& proto;

  void operator()(const OtherAttribute&) const {
    check_failed("only attributes of known kinds are written", __FILE__, __LINE__);
  }
  void operator()(const AttributeOfCall&) const {
    check_failed("only nodes outside functions are written", __FILE__, __LINE__);
  }
  void operator()(std::int64_t value) const {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(float value) const {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(value);
  }
  void operator()(const std::string& value) const {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }
  void operator()(const OnnxTensor& value) const {
    proto.set_type(onnx::AttributeProto::TENSOR);
    write_tensor(value, *proto.mutable_t());
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) proto.add_ints(value);
  }
  void operator()(const std::vector<float>& values) const {
    proto.set_type(onnx::AttributeProto::FLOATS);
    for (const float value : values) proto.add_floats(value);
  }
  void operator()(const std::vector<std::string>& values) const {
    proto.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) proto.add_strings(value);
  }
};

void write_node(const OnnxNode& node, onnx::NodeProto& proto) {
  proto.set_name(node.name);
  proto.set_op_type(node.op_type);
  for (const std::string& input : node.inputs) proto.add_input(input);
  for (const std::string& output : node.outputs) proto.add_output(output);
  for (const OnnxAttribute& attribute : node.attributes) {
    onnx::AttributeProto& written = *proto.add_attribute();
    written.set_name(attribute.name);
    std::visit(AttributeWriter{written}, attribute.value);
  }
}

}  // namespace

Failure write_onnx(const ExportedOnnx& file, const std::string& path) {
  onnx::ModelProto proto;
  proto.set_ir_version(kWrittenIrVersion);
  proto.set_producer_name("poet");
  proto.add_opset_import()->set_version(file.model.opset);
  onnx::GraphProto& graph = *proto.mutable_graph();
  graph.set_name(file.model.graph_name.empty() ? "network" : file.model.graph_name);
  for (const OnnxNode& node : file.model.nodes) write_node(node, *graph.add_node());
  for (const OnnxInput& input : file.model.inputs) write_type(input, *graph.add_input());
  for (const OnnxInput& output : file.outputs) write_type(output, *graph.add_output());
  std::size_t bytes = proto.ByteSizeLong();
  for (const OnnxTensor& tensor : file.model.initializers)
    bytes += tensor.values.bytes.size() + tensor.name.size() + 64;
  if (bytes > kLargestWrittenBytes)
    return bad_input("it would be larger than 2 GiB, which ONNX files cannot be", {.file = path});
  for (const OnnxTensor& tensor : file.model.initializers)
    write_tensor(tensor, *graph.add_initializer());
  return write_text_file(path, proto.SerializeAsString());
}

}  // namespace poet
