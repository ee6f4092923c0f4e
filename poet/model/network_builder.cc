#include "poet/model/network_builder.h"

#include <cmath>
#include <utility>

namespace poet {
namespace {

// The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): neighbouring numbers
// become unrelated seeds.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31);
}

// PyTorch's rule for weights and biases of layers with so many inputs per output.
Initial by_fan_in(const NetworkBuilder& net, std::int64_t fan_in) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return UniformDraw{.bound = static_cast<float>(bound), .seed = next_seed(net)};
}

Initial linear_weight(const NetworkBuilder& net, std::int64_t fan_in) {
  if (!net.weight_deviation) return by_fan_in(net, fan_in);
  return NormalDraw{.deviation = *net.weight_deviation, .seed = next_seed(net)};
}

Initial linear_bias(const NetworkBuilder& net, std::int64_t fan_in) {
  if (net.weight_deviation) return FilledWith{0};
  return by_fan_in(net, fan_in);
}

TensorId add_given(NetworkBuilder& net, GraphTensor tensor) {
  if (!net.failure) net.failure = check_shape(tensor.type.shape, tensor.name);
  return add_tensor(net.model.graph, std::move(tensor));
}

TensorId add_statistic(NetworkBuilder& net, const std::string& name, Shape shape, double value) {
  const TensorId id = add_given(net, {.name = name,
                                      .type = {ElementType::Float32, std::move(shape)},
                                      .role = TensorRole::Statistic,
                                      .home = Home::Storage});
  net.model.initial.emplace(id, FilledWith{value});
  return id;
}

WindowAttributes square_window(const Conv2d& layer) {
  return {.kernel = {layer.kernel, layer.kernel},
          .stride = {layer.stride, layer.stride},
          .padding_begin = {layer.padding, layer.padding},
          .padding_end = {layer.padding, layer.padding},
          .dilation = {1, 1},
          .groups = layer.groups};
}

WindowAttributes square_window(const Pool2d& pool) {
  return square_window(
      Conv2d{.kernel = pool.kernel, .stride = pool.stride, .padding = pool.padding});
}

// The tensor that a step comes in by, which is added with the first dropout.
TensorId step_tensor(Model& model) {
  if (!model.step)
    model.step = add_tensor(
        model.graph,
        {.name = "step", .type = step_type(), .role = TensorRole::Step, .home = Home::Resident});
  return *model.step;
}

// (N, S, H) to (N, heads, S, H / heads).
TensorId split_heads(NetworkBuilder& net, const std::string& name, TensorId x, std::int64_t heads) {
  const std::int64_t batch = extent(net, x, 0);
  const std::int64_t length = extent(net, x, 1);
  const std::int64_t features = extent(net, x, 2) / heads;
  const TensorId split = reshape(net, name + ".split", x, {batch, length, heads, features});
  return apply(net, {.name = name + ".heads",
                     .kind = Operator::Transpose,
                     .attributes = TransposeAttributes{{0, 2, 1, 3}},
                     .inputs = {split}});
}

}  // namespace

std::vector<TensorId> LayerComposer::add_all(Operator kind, Attributes attributes,
                                             std::vector<TensorId> inputs) {
  if (net_.failure) return {};
  Result<std::vector<TensorId>> outputs =
      add_operation(net_.model.graph, {.name = name_ + "." + std::to_string(++operations_),
                                       .kind = kind,
                                       .attributes = std::move(attributes),
                                       .inputs = std::move(inputs)});
  if (outputs.ok()) return *std::move(outputs);
  net_.failure = outputs.error();
  return {};
}

TensorId LayerComposer::known(const Constant& constant, const std::string& name) {
  const auto* const filled = std::get_if<FilledWith>(&constant.values);
  if (filled == nullptr || !constant.type.shape.empty())
    return add_constant(net_, name_ + "." + name, constant.type, constant.values);
  const auto value = static_cast<float>(filled->value);
  const auto there = net_.numbers.find(value);
  if (there != net_.numbers.end()) return there->second;
  return net_.numbers[value] = add_constant(net_, "number." + name, constant.type, constant.values);
}

std::uint64_t next_seed(const NetworkBuilder& net) {
  const std::uint64_t number = net.model.graph.tensors.size() + 1;
  return mixed(net.seed * 0x9e3779b97f4a7c15U + number);
}

TensorId add_input(NetworkBuilder& net, const std::string& name, TensorType type) {
  const TensorId id = add_given(
      net,
      {.name = name, .type = std::move(type), .role = TensorRole::Input, .home = Home::Storage});
  net.model.inputs.push_back({name, id});
  return id;
}

TensorId add_parameter(NetworkBuilder& net, const std::string& name, Shape shape, Initial initial) {
  const TensorId id = add_given(net, {.name = name,
                                      .type = {ElementType::Float32, std::move(shape)},
                                      .role = TensorRole::Parameter,
                                      .home = Home::Storage});
  net.model.initial.emplace(id, std::move(initial));
  return id;
}

TensorId add_constant(NetworkBuilder& net, const std::string& name, TensorType type,
                      Initial initial) {
  const TensorId id = add_given(
      net,
      {.name = name, .type = std::move(type), .role = TensorRole::Constant, .home = Home::Rom});
  net.model.initial.emplace(id, std::move(initial));
  return id;
}

void add_output(NetworkBuilder& net, const std::string& name, TensorId tensor) {
  net.model.outputs.push_back({name, tensor});
  net.model.graph.outputs.push_back(tensor);
}

std::int64_t extent(const NetworkBuilder& net, TensorId tensor, std::size_t dimension) {
  if (net.failure) return 1;
  return at(net.model.graph.tensors, tensor).type.shape[dimension];
}

TensorId apply(NetworkBuilder& net, GraphOperation operation) {
  if (net.failure) return TensorId{0};
  const Result<std::vector<TensorId>> outputs =
      add_operation(net.model.graph, std::move(operation));
  if (outputs.ok()) return outputs->front();
  net.failure = outputs.error();
  return TensorId{0};
}

TensorId apply(NetworkBuilder& net, Operator kind, const std::string& name,
               std::vector<TensorId> inputs) {
  return apply(net, {.name = name, .kind = kind, .inputs = std::move(inputs)});
}

TensorId conv2d(NetworkBuilder& net, const std::string& name, TensorId x, const Conv2d& layer) {
  return convolution(
      net, name, x,
      {.channels = layer.channels, .window = square_window(layer), .bias = layer.bias});
}

TensorId convolution(NetworkBuilder& net, const std::string& name, TensorId x,
                     const Convolution& layer) {
  const std::int64_t group_inputs = extent(net, x, 1) / layer.window.groups;
  Shape weight = {layer.channels, group_inputs};
  weight.insert(weight.end(), layer.window.kernel.begin(), layer.window.kernel.end());
  const std::int64_t fan_in = value_count(weight) / layer.channels;
  std::vector<TensorId> inputs = {x};
  inputs.push_back(add_parameter(net, name + ".weight", std::move(weight), by_fan_in(net, fan_in)));
  if (layer.bias == Bias::With)
    inputs.push_back(add_parameter(net, name + ".bias", {layer.channels}, by_fan_in(net, fan_in)));
  return apply(net, {.name = name,
                     .kind = Operator::Conv,
                     .attributes = layer.window,
                     .inputs = std::move(inputs)});
}

TensorId conv_transpose2d(NetworkBuilder& net, const std::string& name, TensorId x,
                          const Conv2d& layer) {
  const std::int64_t group_outputs = layer.channels / layer.groups;
  const std::int64_t fan_in = group_outputs * layer.kernel * layer.kernel;
  std::vector<TensorId> inputs = {x};
  inputs.push_back(add_parameter(net, name + ".weight",
                                 {extent(net, x, 1), group_outputs, layer.kernel, layer.kernel},
                                 by_fan_in(net, fan_in)));
  if (layer.bias == Bias::With)
    inputs.push_back(add_parameter(net, name + ".bias", {layer.channels}, by_fan_in(net, fan_in)));
  return apply(net, {.name = name,
                     .kind = Operator::ConvTranspose,
                     .attributes = square_window(layer),
                     .inputs = std::move(inputs)});
}

TensorId max_pool2d(NetworkBuilder& net, const std::string& name, TensorId x, const Pool2d& pool) {
  return apply(
      net,
      {.name = name, .kind = Operator::MaxPool, .attributes = square_window(pool), .inputs = {x}});
}

TensorId average_pool2d(NetworkBuilder& net, const std::string& name, TensorId x,
                        const Pool2d& pool) {
  return apply(net, {.name = name,
                     .kind = Operator::AveragePool,
                     .attributes = square_window(pool),
                     .inputs = {x}});
}

TensorId global_average_pool(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, {.name = name,
                     .kind = Operator::ReduceMean,
                     .attributes = ReduceAttributes{.axes = {2, 3}, .keeps_dimensions = false},
                     .inputs = {x}});
}

TensorId batch_norm(NetworkBuilder& net, const std::string& name, TensorId x,
                    const BatchNormLayer& layer) {
  if (net.failure) return x;
  const Shape channels = {extent(net, x, 1)};
  const TensorId scale = add_parameter(net, name + ".weight", channels, FilledWith{1});
  const TensorId bias = add_parameter(net, name + ".bias", channels, FilledWith{0});
  const TensorId mean = add_statistic(net, name + ".running_mean", channels, 0);
  const TensorId variance = add_statistic(net, name + ".running_var", channels, 1);
  const Result<TensorId> y = add_batch_norm(
      net.model, name, x, {.scale = scale, .bias = bias, .mean = mean, .variance = variance},
      layer.epsilon, layer.rule);
  if (y.ok()) return *y;
  net.failure = y.error();
  return x;
}

TensorId group_norm(NetworkBuilder& net, const std::string& name, TensorId x,
                    const GroupNormLayer& layer) {
  const Shape channels = {extent(net, x, 1)};
  const TensorId scale = add_parameter(net, name + ".weight", channels, FilledWith{1});
  const TensorId bias = add_parameter(net, name + ".bias", channels, FilledWith{0});
  return apply(net, {.name = name,
                     .kind = Operator::GroupNorm,
                     .attributes = NormAttributes{.epsilon = layer.epsilon, .groups = layer.groups},
                     .inputs = {x, scale, bias}});
}

TensorId layer_norm(NetworkBuilder& net, const std::string& name, TensorId x, float epsilon) {
  if (net.failure) return x;
  const std::size_t last = at(net.model.graph.tensors, x).type.shape.size() - 1;
  const Shape features = {extent(net, x, last)};
  const TensorId scale = add_parameter(net, name + ".weight", features, FilledWith{1});
  const TensorId bias = add_parameter(net, name + ".bias", features, FilledWith{0});
  return apply(net, {.name = name,
                     .kind = Operator::LayerNorm,
                     .attributes = NormAttributes{.epsilon = epsilon,
                                                  .axis = static_cast<std::int64_t>(last)},
                     .inputs = {x, scale, bias}});
}

TensorId relu6(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, {.name = name,
                     .kind = Operator::Clip,
                     .attributes = ScalarAttributes{.alpha = 0, .beta = 6},
                     .inputs = {x}});
}

TensorId hard_swish(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, {.name = name,
                     .kind = Operator::HardSwish,
                     .attributes = ScalarAttributes{.alpha = 1.0F / 6, .beta = 0.5F},
                     .inputs = {x}});
}

TensorId hard_sigmoid(NetworkBuilder& net, const std::string& name, TensorId x) {
  return apply(net, {.name = name,
                     .kind = Operator::HardSigmoid,
                     .attributes = ScalarAttributes{.alpha = 1.0F / 6, .beta = 0.5F},
                     .inputs = {x}});
}

TensorId dropout(NetworkBuilder& net, const std::string& name, TensorId x, float probability) {
  const float used = net.dropout_probability.value_or(probability);
  if (used == 0) return x;
  std::int32_t number = 0;
  for (const GraphOperation& operation : net.model.graph.operations)
    if (operation.kind == Operator::Dropout) ++number;
  return apply(net, {.name = name,
                     .kind = Operator::Dropout,
                     .attributes = DropoutAttributes{.probability = used, .number = number},
                     .inputs = {x, step_tensor(net.model)}});
}

TensorId reshape(NetworkBuilder& net, const std::string& name, TensorId x, Shape shape) {
  return apply(net, {.name = name,
                     .kind = Operator::Reshape,
                     .attributes = ShapeAttributes{std::move(shape)},
                     .inputs = {x}});
}

TensorId flatten(NetworkBuilder& net, const std::string& name, TensorId x) {
  if (net.failure) return x;
  const std::int64_t batch = extent(net, x, 0);
  const std::int64_t values = value_count(at(net.model.graph.tensors, x).type.shape);
  return reshape(net, name, x, {batch, values / batch});
}

TensorId linear(NetworkBuilder& net, const std::string& name, TensorId x, std::int64_t features,
                Bias bias) {
  if (net.failure) return x;
  const std::int64_t fan_in = at(net.model.graph.tensors, x).type.shape.back();
  std::vector<TensorId> inputs = {x};
  inputs.push_back(
      add_parameter(net, name + ".weight", {features, fan_in}, linear_weight(net, fan_in)));
  if (bias == Bias::With)
    inputs.push_back(add_parameter(net, name + ".bias", {features}, linear_bias(net, fan_in)));
  return apply(net, {.name = name,
                     .kind = Operator::MatMul,
                     .attributes = MatMulAttributes{.transpose_b = true},
                     .inputs = std::move(inputs)});
}

TensorId tied_head(NetworkBuilder& net, const std::string& name, TensorId x, TensorId weight) {
  return apply(net, {.name = name,
                     .kind = Operator::MatMul,
                     .attributes = MatMulAttributes{.transpose_b = true},
                     .inputs = {x, weight}});
}

TensorId add_embedding_weight(NetworkBuilder& net, const std::string& name,
                              const Embedding& table) {
  const float deviation = net.weight_deviation.value_or(1);
  return add_parameter(net, name + ".weight", {table.rows, table.features},
                       NormalDraw{.deviation = deviation, .seed = next_seed(net)});
}

TensorId look_up(NetworkBuilder& net, const std::string& name, TensorId weight, TensorId indices) {
  return apply(net, {.name = name,
                     .kind = Operator::Gather,
                     .attributes = AxisAttributes{0},
                     .inputs = {weight, indices}});
}

TensorId attention(NetworkBuilder& net, const std::string& name, const QueryKeyValue& x,
                   const Attention& layer) {
  const Shape shape = {extent(net, x.query, 0), extent(net, x.query, 1), extent(net, x.query, 2)};
  const TensorId query = split_heads(net, name + ".query", x.query, layer.heads);
  const TensorId key = split_heads(net, name + ".key", x.key, layer.heads);
  const TensorId value = split_heads(net, name + ".value", x.value, layer.heads);

  const double head_features = static_cast<double>(shape[2]) / static_cast<double>(layer.heads);
  std::vector<TensorId> operands = {query, key};
  if (layer.mask) operands.push_back(*layer.mask);
  const TensorId scores = apply(
      net,
      {.name = name + ".scores",
       .kind = Operator::MatMul,
       .attributes = MatMulAttributes{.transpose_b = true,
                                      .alpha = static_cast<float>(1 / std::sqrt(head_features))},
       .inputs = std::move(operands)});
  TensorId weights = apply(net, {.name = name + ".softmax",
                                 .kind = Operator::Softmax,
                                 .attributes = AxisAttributes{3},
                                 .inputs = {scores}});
  weights = dropout(net, name + ".dropout", weights, layer.dropout_probability);
  const TensorId context = apply(net, {.name = name + ".context",
                                       .kind = Operator::MatMul,
                                       .attributes = MatMulAttributes{},
                                       .inputs = {weights, value}});
  const TensorId joined = apply(net, {.name = name + ".join",
                                      .kind = Operator::Transpose,
                                      .attributes = TransposeAttributes{{0, 2, 1, 3}},
                                      .inputs = {context}});
  return reshape(net, name + ".merge", joined, shape);
}

}  // namespace poet
