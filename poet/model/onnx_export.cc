#include "poet/model/onnx_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

using Wholes = std::vector<std::int64_t>;

// A number of the enumeration TensorProto.DataType.
std::int64_t onnx_number_of(ElementType element) {
  for (std::int64_t number = 1; number <= 16; ++number)
    if (onnx_element(number).known == element) return number;
  check_failed("ONNX has every element type of ours", __FILE__, __LINE__);
}

template <typename T>
StoredBytes bytes_of_values(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return store(std::move(bytes));
}

class OnnxWriting {
 public:
  OnnxWriting(const Model& model, const ValueOf& value_of) : model_(model), value_of_(value_of) {}

  Result<ExportedOnnx> run() {
    file_.model.graph_name = model_.graph.name;
    file_.model.opset = kWrittenOpset;
    for (const GraphTensor& tensor : model_.graph.tensors) taken_.insert(tensor.name);
    for (const NamedTensor& input : model_.inputs)
      file_.model.inputs.push_back(typed(input.tensor));
    if (Failure failure = write_values()) return *failure;
    for (const GraphOperation& operation : model_.graph.operations)
      if (Failure failure = write(operation)) return *failure;
    for (const NamedTensor& output : model_.outputs) write_output(output);
    return std::move(file_);
  }

 private:
  const GraphTensor& tensor(TensorId id) const { return at(model_.graph.tensors, id); }
  const std::string& name(TensorId id) const { return tensor(id).name; }

  OnnxInput typed(TensorId id) const {
    const TensorType& type = tensor(id).type;
    return {.name = name(id),
            .element = onnx_element(onnx_number_of(type.element)),
            .shape = std::vector<OnnxDimension>(type.shape.begin(), type.shape.end())};
  }

  // An output that has two names, or is an input, gets a node of its own.
  void write_output(const NamedTensor& output) {
    OnnxInput out = typed(output.tensor);
    const bool is_made = tensor(output.tensor).home == Home::Made;
    if (output.name != out.name || !is_made) {
      out.name = output.name == out.name ? fresh(out.name) : output.name;
      add("Identity", {name(output.tensor)}, {}, out.name);
    }
    file_.model.outputs.push_back(out.name);
    file_.outputs.push_back(std::move(out));
  }

  Failure write_values() {
    for (std::size_t i = 0; i < model_.graph.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      const TensorRole role = tensor(id).role;
      if (role != TensorRole::Parameter && role != TensorRole::Statistic &&
          role != TensorRole::Constant)
        continue;
      Result<StoredBytes> bytes = value_of_(id);
      if (!bytes.ok()) return bytes.error();
      OnnxTensor value{.name = name(id),
                       .element = onnx_element(onnx_number_of(tensor(id).type.element)),
                       .shape = tensor(id).type.shape,
                       .values = *std::move(bytes)};
      if (role == TensorRole::Constant)
        add_constant(std::move(value));
      else
        file_.model.initializers.push_back(std::move(value));
    }
    return std::nullopt;
  }

  // --- Nodes

  std::string fresh(const std::string& like) {
    for (int number = 1;; ++number) {
      std::string one = fmt::format("{}:{}", like, number);
      if (taken_.insert(one).second) return one;
    }
  }

  const std::string& add(const std::string& op_type, std::vector<std::string> inputs,
                         std::vector<OnnxAttribute> attributes, const std::string& output) {
    file_.model.nodes.push_back({.name = output,
                                 .op_type = op_type,
                                 .inputs = std::move(inputs),
                                 .outputs = {output},
                                 .attributes = std::move(attributes)});
    return file_.model.nodes.back().outputs.front();
  }

  std::string step(const std::string& op_type, std::vector<std::string> inputs,
                   std::vector<OnnxAttribute> attributes = {}) {
    return add(op_type, std::move(inputs), std::move(attributes), fresh(current_));
  }

  std::string add_constant(OnnxTensor value) {
    const std::string output = value.name;
    value.name.clear();
    return add("Constant", {}, {{.name = "value", .value = std::move(value)}}, output);
  }

  std::string number(float value) {
    return add_constant({.name = fresh(current_),
                         .element = onnx_element(onnx_number_of(ElementType::Float32)),
                         .shape = {},
                         .values = bytes_of_values(std::vector<float>{value})});
  }

  std::string wholes(const Wholes& values) {
    return add_constant({.name = fresh(current_),
                         .element = onnx_element(onnx_number_of(ElementType::Int64)),
                         .shape = {static_cast<std::int64_t>(values.size())},
                         .values = bytes_of_values(values)});
  }

  // --- Operations

  Error no_node(const GraphOperation& operation) const {
    return {ErrorCode::Unsupported,
            fmt::format("{} cannot be written: opset {} of ONNX has no node for '{}'",
                        in_quotes(operation.name), kWrittenOpset, entry_of(operation.kind).name),
            {}};
  }

  Failure write(const GraphOperation& operation) {
    current_ = name(operation.outputs.front());
    std::vector<std::string> inputs;
    for (const TensorId input : operation.inputs) inputs.push_back(name(input));
    const OnnxName& onnx = entry_of(operation.kind).onnx;
    if (onnx.since > kWrittenOpset) return write_with_attributes(operation, inputs);
    switch (onnx.form) {
      case OnnxName::Form::Plain:
        add(called(operation), std::move(inputs), {}, current_);
        return std::nullopt;
      case OnnxName::Form::Reduction:
        write_reduction(operation, inputs);
        return std::nullopt;
      default:
        return write_with_attributes(operation, inputs);
    }
  }

  void write_reduction(const GraphOperation& operation, std::vector<std::string> inputs) {
    const auto& reduce = std::get<ReduceAttributes>(operation.attributes);
    if (reduce.axes.empty()) {
      add("Identity", {inputs[0]}, {}, current_);
      return;
    }
    std::vector<OnnxAttribute> attributes = {
        {.name = "keepdims", .value = std::int64_t{reduce.keeps_dimensions}}};
    // Opset 13 made the axes of this one an input.
    if (operation.kind == Operator::ReduceSum)
      inputs.push_back(wholes(reduce.axes));
    else
      attributes.push_back({.name = "axes", .value = reduce.axes});
    add(called(operation), std::move(inputs), std::move(attributes), current_);
  }

  Failure write_with_attributes(const GraphOperation& operation,
                                const std::vector<std::string>& in) {
    switch (operation.kind) {
      case Operator::LeakyRelu:
      case Operator::Elu:
        add(called(operation), in, {{.name = "alpha", .value = scalars(operation).alpha}},
            current_);
        break;
      case Operator::HardSigmoid:
        add(called(operation), in, both(operation), current_);
        break;
      case Operator::HardSwish:
        add("Mul", {in[0], step("HardSigmoid", in, both(operation))}, {}, current_);
        break;
      case Operator::Silu:
        add("Mul", {in[0], step("Sigmoid", in)}, {}, current_);
        break;
      case Operator::Clip: {
        const std::string low = number(scalars(operation).alpha);
        add("Clip", {in[0], low, number(scalars(operation).beta)}, {}, current_);
        break;
      }
      case Operator::GeluErf:
        write_gelu(in[0], step("Erf", {step("Div", {in[0], number(1.41421356F)})}));
        break;
      case Operator::GeluTanh:
        write_gelu(in[0], step("Tanh", {cubic(in[0])}));
        break;
      case Operator::MatMul:
        return write_product(operation, in);
      case Operator::Conv:
      case Operator::ConvTranspose:
      case Operator::MaxPool:
      case Operator::AveragePool:
        write_window(operation, in);
        break;
      case Operator::BatchNormInference:
        write_batch_norm(operation, in);
        break;
      case Operator::LayerNorm:
      case Operator::GroupNorm:
        return write_norm(operation, in);
      case Operator::Softmax:
      case Operator::LogSoftmax:
      case Operator::Concat:
      case Operator::Gather:
      case Operator::GatherElements:
        write_along_axis(operation, in);
        break;
      case Operator::TopK:
        write_top_k(operation, in[0]);
        break;
      case Operator::ArgMax:
      case Operator::ArgMin: {
        const auto& arg = std::get<ArgAttributes>(operation.attributes);
        add(called(operation), in,
            {{.name = "axis", .value = arg.axis},
             {.name = "select_last_index", .value = std::int64_t{arg.last}}},
            current_);
        break;
      }
      default:
        return write_move(operation, in);
    }
    return std::nullopt;
  }

  // In ONNX.
  static std::string called(const GraphOperation& operation) {
    return std::string(entry_of(operation.kind).onnx->name);
  }

  static const ScalarAttributes& scalars(const GraphOperation& operation) {
    return std::get<ScalarAttributes>(operation.attributes);
  }
  static std::vector<OnnxAttribute> both(const GraphOperation& operation) {
    return {{.name = "alpha", .value = scalars(operation).alpha},
            {.name = "beta", .value = scalars(operation).beta}};
  }

  // x / 2 (1 + inner)
  void write_gelu(const std::string& x, const std::string& inner) {
    const std::string sum = step("Add", {inner, number(1)});
    add("Mul", {step("Mul", {x, sum}), number(0.5F)}, {}, current_);
  }
  // sqrt(2 / pi) (x + 0.044715 x^3)
  std::string cubic(const std::string& x) {
    const std::string power = step("Pow", {x, number(3)});
    const std::string sum = step("Add", {x, step("Mul", {power, number(0.044715F)})});
    return step("Mul", {sum, number(0.797884561F)});
  }

  // With its last two dimensions the other way round.
  std::string turned(const std::string& matrix, std::size_t rank) {
    Wholes permutation(rank);
    for (std::size_t d = 0; d < rank; ++d) permutation[d] = static_cast<std::int64_t>(d);
    std::swap(permutation[rank - 1], permutation[rank - 2]);
    return step("Transpose", {matrix}, {{.name = "perm", .value = permutation}});
  }

  Failure write_product(const GraphOperation& operation, std::vector<std::string> in) {
    const auto& product = std::get<MatMulAttributes>(operation.attributes);
    if (product.sum_to) return no_node(operation);
    const std::size_t ranks[] = {tensor(operation.inputs[0]).type.shape.size(),
                                 tensor(operation.inputs[1]).type.shape.size()};
    if (ranks[0] == 2 && ranks[1] == 2) {
      add("Gemm", std::move(in),
          {{.name = "transA", .value = std::int64_t{product.transpose_a}},
           {.name = "transB", .value = std::int64_t{product.transpose_b}},
           {.name = "alpha", .value = product.alpha},
           {.name = "beta", .value = product.beta}},
          current_);
      return std::nullopt;
    }
    const std::string a = product.transpose_a ? turned(in[0], ranks[0]) : in[0];
    const std::string b = product.transpose_b ? turned(in[1], ranks[1]) : in[1];
    const bool scaled = product.alpha != 1;
    const bool biased = in.size() > 2;
    std::string y = add("MatMul", {a, b}, {}, scaled || biased ? fresh(current_) : current_);
    if (scaled) y = add("Mul", {y, number(product.alpha)}, {}, biased ? fresh(current_) : current_);
    if (!biased) return std::nullopt;
    const std::string bias = product.beta == 1 ? in[2] : step("Mul", {in[2], number(product.beta)});
    add("Add", {y, bias}, {}, current_);
    return std::nullopt;
  }

  void write_window(const GraphOperation& operation, const std::vector<std::string>& in) {
    const auto& window = std::get<WindowAttributes>(operation.attributes);
    Wholes pads = window.padding_begin;
    pads.insert(pads.end(), window.padding_end.begin(), window.padding_end.end());
    std::vector<OnnxAttribute> attributes = {{.name = "kernel_shape", .value = window.kernel},
                                             {.name = "strides", .value = window.stride},
                                             {.name = "pads", .value = pads}};
    const auto flag = [&](const char* name, bool set) {
      if (set) attributes.push_back({.name = name, .value = std::int64_t{1}});
    };
    const bool dilated = std::any_of(window.dilation.begin(), window.dilation.end(),
                                     [](std::int64_t one) { return one != 1; });
    if (dilated) attributes.push_back({.name = "dilations", .value = window.dilation});
    flag("ceil_mode", window.round_up);
    flag("count_include_pad", window.counts_padding);
    const bool pool =
        operation.kind == Operator::MaxPool || operation.kind == Operator::AveragePool;
    if (!pool) attributes.push_back({.name = "group", .value = window.groups});
    if (!window.output_padding.empty())
      attributes.push_back({.name = "output_padding", .value = window.output_padding});
    add(called(operation), in, std::move(attributes), current_);
  }

  void write_batch_norm(const GraphOperation& operation, const std::vector<std::string>& in) {
    float rate = 0.1F;
    for (const TrainedBatchNorm& norm : model_.batch_norms)
      if (&at(model_.graph.operations, norm.operation) == &operation) rate = norm.rate;
    const auto& norm = std::get<NormAttributes>(operation.attributes);
    add("BatchNormalization", in,
        {{.name = "epsilon", .value = norm.epsilon}, {.name = "momentum", .value = 1 - rate}},
        current_);
  }

  Failure write_norm(const GraphOperation& operation, const std::vector<std::string>& in) {
    const auto& norm = std::get<NormAttributes>(operation.attributes);
    const OnnxAttribute epsilon{.name = "epsilon", .value = norm.epsilon};
    const Shape& x = tensor(operation.inputs[0]).type.shape;
    if (operation.kind == Operator::LayerNorm) {
      add("LayerNormalization", with_factors(in, {x.begin() + norm.axis, x.end()}, 2),
          {epsilon, {.name = "axis", .value = norm.axis}}, current_);
      return std::nullopt;
    }
    if (norm.groups != x[1]) return no_node(operation);
    add("InstanceNormalization", with_factors(in, {x[1]}, 3), {epsilon}, current_);
    return std::nullopt;
  }

  // With a scale of ones and a bias of zeros where the operation has none and the node must.
  std::vector<std::string> with_factors(std::vector<std::string> in, const Shape& shape,
                                        std::size_t least) {
    while (in.size() < least)
      in.push_back(add_constant(
          {.name = fresh(current_),
           .element = onnx_element(onnx_number_of(ElementType::Float32)),
           .shape = shape,
           .values = bytes_of_values(std::vector<float>(
               static_cast<std::size_t>(value_count(shape)), in.size() == 1 ? 1.0F : 0.0F))}));
    return in;
  }

  // The only node with two outputs.
  void write_top_k(const GraphOperation& operation, const std::string& x) {
    const auto& top = std::get<TopKAttributes>(operation.attributes);
    add("TopK", {x, wholes({top.count})},
        {{.name = "axis", .value = top.axis},
         {.name = "largest", .value = std::int64_t{top.largest}}},
        current_);
    file_.model.nodes.back().outputs.push_back(name(operation.outputs[1]));
  }

  void write_along_axis(const GraphOperation& operation, const std::vector<std::string>& in) {
    add(called(operation), in,
        {{.name = "axis", .value = std::get<AxisAttributes>(operation.attributes).axis}}, current_);
  }

  Failure write_move(const GraphOperation& operation, const std::vector<std::string>& in) {
    switch (operation.kind) {
      case Operator::Reshape:
      case Operator::Expand:
        add(called(operation),
            {in[0], wholes(std::get<ShapeAttributes>(operation.attributes).shape)}, {}, current_);
        break;
      case Operator::Transpose:
        add("Transpose", in,
            {{.name = "perm",
              .value = std::get<TransposeAttributes>(operation.attributes).permutation}},
            current_);
        break;
      case Operator::Slice:
        write_slice(std::get<SliceAttributes>(operation.attributes), in[0]);
        break;
      case Operator::Pad:
        write_pad(std::get<PadAttributes>(operation.attributes), in[0]);
        break;
      case Operator::GatherNd:
        add("GatherND", in,
            {{.name = "batch_dims",
              .value = std::get<GatherNdAttributes>(operation.attributes).batch}},
            current_);
        break;
      case Operator::ScatterElements:
        write_scatter(std::get<ScatterAttributes>(operation.attributes), in);
        break;
      case Operator::Cast:
        add("Cast", in,
            {{.name = "to",
              .value = onnx_number_of(std::get<CastAttributes>(operation.attributes).to)}},
            current_);
        break;
      case Operator::Dropout:
        add("Dropout",
            {in[0], number(std::get<DropoutAttributes>(operation.attributes).probability)}, {},
            current_);
        break;
      default:
        return no_node(operation);
    }
    return std::nullopt;
  }

  void write_scatter(const ScatterAttributes& scatter, const std::vector<std::string>& in) {
    add("ScatterElements", in,
        {{.name = "axis", .value = scatter.axis},
         {.name = "reduction", .value = std::string(scatter.adds ? "add" : "none")}},
        current_);
  }

  // The end of a dimension is behind its last value, which for a step backwards may be before the
  // first: ONNX counts that from the end, so it is a number that is less than any.
  void write_slice(const SliceAttributes& slice, const std::string& x) {
    Wholes ends;
    Wholes axes;
    for (std::size_t d = 0; d < slice.extent.size(); ++d) {
      const std::int64_t end = slice.start[d] + slice.extent[d] * slice.step[d];
      ends.push_back(end >= 0 ? end : std::numeric_limits<std::int64_t>::min() + 1);
      axes.push_back(static_cast<std::int64_t>(d));
    }
    const std::string starts = wholes(slice.start);
    const std::string stops = wholes(ends);
    const std::string over = wholes(axes);
    add("Slice", {x, starts, stops, over, wholes(slice.step)}, {}, current_);
  }

  void write_pad(const PadAttributes& pad, const std::string& x) {
    Wholes pads = pad.begin;
    pads.insert(pads.end(), pad.end.begin(), pad.end.end());
    const std::string amounts = wholes(pads);
    add("Pad", {x, amounts, number(pad.value)},
        {{.name = "mode", .value = std::string(name_of(kPadModes, pad.mode))}}, current_);
  }

  const Model& model_;
  const ValueOf& value_of_;
  ExportedOnnx file_ = {};
  std::set<std::string> taken_ = {};  // names
  std::string current_ = {};          // of what the operation makes
};

}  // namespace

Result<ExportedOnnx> export_onnx(const Model& model, const ValueOf& value_of) {
  return OnnxWriting(model, value_of).run();
}

}  // namespace poet
