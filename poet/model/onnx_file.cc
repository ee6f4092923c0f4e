#include "poet/model/onnx_file.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/model/mapped_file.h"
#include "poet/model/onnx_file_newer.h"
#include "poet/model/onnx_file_tensor.h"

// Next to the other onnx_file_*.cc the only place that knows protobuf.

namespace poet {
namespace {

template <typename Message>
Result<std::shared_ptr<const Message>> parse_message(std::span<const std::byte> bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    return bad_input(
        "it is larger than 2 GiB, which ONNX files cannot be: keep the weights as external data");
  auto message = std::make_shared<Message>();
  if (bytes.empty() || !message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return bad_input("it is not an ONNX file, or it is cut off or nested too deeply");
  return std::shared_ptr<const Message>(std::move(message));
}

// Turns messages into our structs. Values point into the message.
class Reader {
 public:
  Reader(std::shared_ptr<const onnx::ModelProto> proto, const std::string& path)
      : proto_(std::move(proto)), files_(path) {}

  Result<OnnxModel> model(const std::string& path) {
    OnnxModel model{
        .path = path, .graph_name = proto_->graph().name(), .producer = proto_->producer_name()};
    if (Failure failure = read_versions(model)) return *failure;
    if (Failure failure = read_graph(proto_->graph(), model)) return *failure;
    if (Failure failure = read_functions(model)) return *failure;
    model.files = files_.paths();
    return model;
  }

 private:
  Failure read_versions(OnnxModel& model) const {
    if (!proto_->has_graph()) return bad_input("it is not an ONNX model: it has no graph");
    const std::int64_t ir = proto_->ir_version();
    if (ir < kOldestIrVersion || ir > kNewestIrVersion)
      return bad_input(fmt::format("its format is IR version {}; versions {} to {} are read", ir,
                                   kOldestIrVersion, kNewestIrVersion));
    model.opset = default_opset(proto_->opset_import());
    return check_opset(model.opset, "it");
  }

  static std::int64_t default_opset(
      const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& sets) {
    std::int64_t opset = 0;
    for (const onnx::OperatorSetIdProto& set : sets)
      if (default_if_onnx(set.domain()).empty()) opset = set.version();
    return opset;
  }

  static Failure check_opset(std::int64_t opset, const std::string& who) {
    if (opset >= kOldestOpset && opset <= kNewestOpset) return std::nullopt;
    return bad_input(fmt::format(
        "{} uses {}; opsets {} to {} are read", who,
        opset == 0 ? "no opset of the default operators" : fmt::format("opset {}", opset),
        kOldestOpset, kNewestOpset));
  }

  static std::string default_if_onnx(const std::string& domain) {
    return domain == "ai.onnx" ? "" : domain;
  }

  Failure read_functions(OnnxModel& model) {
    for (const onnx::FunctionProto& proto : proto_->functions()) {
      Result<OnnxFunction> function = function_of(proto);
      if (!function.ok())
        return bad_input(
            fmt::format("its function {}: {}", in_quotes(proto.name()), function.error().message));
      model.functions.push_back(*std::move(function));
    }
    return std::nullopt;
  }

  Result<OnnxFunction> function_of(const onnx::FunctionProto& proto) {
    OnnxFunction function{.name = proto.name(),
                          .domain = default_if_onnx(proto.domain()),
                          .overload = overload_of(proto),
                          .opset = default_opset(proto.opset_import()),
                          .inputs = {proto.input().begin(), proto.input().end()},
                          .outputs = {proto.output().begin(), proto.output().end()}};
    if (function.opset != 0)
      if (Failure failure = check_opset(function.opset, "it")) return *failure;
    const Result<std::vector<onnx::AttributeProto>> defaults = default_attributes_of(proto);
    if (!defaults.ok()) return defaults.error();
    for (const onnx::AttributeProto& attribute : *defaults) {
      // Values of these point into the message, which must stay.
      auto kept = std::make_shared<const onnx::AttributeProto>(attribute);
      Result<OnnxAttribute> read = attribute_of(*kept, kept);
      if (!read.ok()) return read.error();
      function.defaults.push_back(*std::move(read));
    }
    for (const onnx::NodeProto& inner : proto.node()) {
      Result<OnnxNode> node = node_of(inner);
      if (!node.ok()) return node.error();
      node->opset = function.opset;
      function.nodes.push_back(*std::move(node));
    }
    return function;
  }

  Failure read_graph(const onnx::GraphProto& graph, OnnxModel& model) {
    if (graph.sparse_initializer_size() > 0)
      return bad_input("it has sparse initializers; only dense ones are read");
    for (const onnx::TensorProto& proto : graph.initializer()) {
      Result<OnnxTensor> tensor = read_tensor(proto, proto_, &files_);
      if (!tensor.ok()) return tensor.error();
      model.initializers.push_back(*std::move(tensor));
    }
    for (const onnx::ValueInfoProto& input : graph.input()) model.inputs.push_back(input_of(input));
    for (const onnx::ValueInfoProto& output : graph.output())
      model.outputs.push_back(output.name());
    for (const onnx::NodeProto& proto : graph.node()) {
      Result<OnnxNode> node = node_of(proto);
      if (!node.ok()) return node.error();
      model.nodes.push_back(*std::move(node));
    }
    return std::nullopt;
  }

  static OnnxInput input_of(const onnx::ValueInfoProto& proto) {
    OnnxInput input{.name = proto.name()};
    if (!proto.type().has_tensor_type()) {
      input.element.name = "no tensor";
      return input;
    }
    const onnx::TypeProto::Tensor& type = proto.type().tensor_type();
    input.element = onnx_element(type.elem_type());
    if (!type.has_shape()) return input;
    input.shape.emplace();
    for (const onnx::TensorShapeProto::Dimension& dimension : type.shape().dim()) {
      if (dimension.has_dim_value())
        input.shape->emplace_back(dimension.dim_value());
      else if (dimension.has_dim_param() && !dimension.dim_param().empty())
        input.shape->emplace_back(dimension.dim_param());
      else
        input.shape->emplace_back(std::monostate{});
    }
    return input;
  }

  Result<OnnxNode> node_of(const onnx::NodeProto& proto) {
    OnnxNode node{.name = proto.name(),
                  .op_type = proto.op_type(),
                  .domain = default_if_onnx(proto.domain()),
                  .inputs = {proto.input().begin(), proto.input().end()},
                  .outputs = {proto.output().begin(), proto.output().end()},
                  .attributes = {},
                  .overload = overload_of(proto)};
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
      Result<OnnxAttribute> read = attribute_of(attribute, proto_);
      if (!read.ok())
        return Error{read.error().code, title_of(node) + ": " + read.error().message, {}};
      node.attributes.push_back(*std::move(read));
    }
    return node;
  }

  // `owner` keeps the message alive.
  Result<OnnxAttribute> attribute_of(const onnx::AttributeProto& proto,
                                     const std::shared_ptr<const void>& owner) {
    OnnxAttribute attribute{.name = proto.name()};
    if (!proto.ref_attr_name().empty()) {
      attribute.value = AttributeOfCall{proto.ref_attr_name()};
      return attribute;
    }
    switch (proto.type()) {
      case onnx::AttributeProto::INT:
        attribute.value = std::int64_t{proto.i()};
        break;
      case onnx::AttributeProto::FLOAT:
        attribute.value = proto.f();
        break;
      case onnx::AttributeProto::STRING:
        attribute.value = proto.s();
        break;
      case onnx::AttributeProto::INTS:
        attribute.value = std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
        break;
      case onnx::AttributeProto::FLOATS:
        attribute.value = std::vector<float>(proto.floats().begin(), proto.floats().end());
        break;
      case onnx::AttributeProto::STRINGS:
        attribute.value = std::vector<std::string>(proto.strings().begin(), proto.strings().end());
        break;
      case onnx::AttributeProto::TENSOR: {
        Result<OnnxTensor> tensor = read_tensor(proto.t(), owner, &files_);
        if (!tensor.ok()) return tensor.error();
        attribute.value = *std::move(tensor);
        break;
      }
      default:
        break;
    }
    return attribute;
  }

  std::shared_ptr<const onnx::ModelProto> proto_;
  ExternalFiles files_;
};

Error in_file(const Error& error, const std::string& path) {
  return {error.code, error.message, {.file = path}};
}

}  // namespace

std::string title_of(const OnnxNode& node) {
  if (!node.name.empty()) return one_line(node.op_type) + " " + in_quotes(node.name);
  if (!node.outputs.empty() && !node.outputs.front().empty())
    return one_line(node.op_type) + " that makes " + in_quotes(node.outputs.front());
  return one_line(node.op_type) + " without a name";
}

Result<OnnxModel> parse_onnx(std::span<const std::byte> bytes, const std::string& path) {
  const Result<std::shared_ptr<const onnx::ModelProto>> proto =
      parse_message<onnx::ModelProto>(bytes);
  if (!proto.ok()) return in_file(proto.error(), path);
  Result<OnnxModel> model = Reader(*proto, path).model(path);
  if (!model.ok()) return in_file(model.error(), path);
  return model;
}

Result<OnnxModel> read_onnx(const std::string& path) {
  const Result<StoredBytes> bytes = map_file(path);
  if (!bytes.ok()) return bytes.error();
  return parse_onnx(bytes->bytes, path);
}

Result<OnnxTensor> read_onnx_tensor(const std::string& path) {
  const Result<StoredBytes> bytes = map_file(path);
  if (!bytes.ok()) return bytes.error();
  const Result<std::shared_ptr<const onnx::TensorProto>> proto =
      parse_message<onnx::TensorProto>(bytes->bytes);
  if (!proto.ok()) return in_file(proto.error(), path);
  Result<OnnxTensor> tensor = read_tensor(**proto, *proto, nullptr);
  if (!tensor.ok()) return in_file(tensor.error(), path);
  return tensor;
}

}  // namespace poet
