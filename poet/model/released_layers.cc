#include "poet/model/released_layers.h"

#include <algorithm>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

constexpr std::int64_t kValueBytes = 4;  // every chip of the released code computes in float

std::int64_t window_steps(std::int64_t extent, const Window& window) {
  return (extent - window.kernel + 2 * window.padding) / window.stride + 1;
}

std::int64_t linear_parameters(std::int64_t in_features, std::int64_t out_features) {
  return (in_features + 1) * out_features;
}

// Ignores how many rows there are: fault 3.
std::int64_t linear_flop(std::int64_t in_features, std::int64_t out_features) {
  return 2 * linear_parameters(in_features, out_features) + out_features;
}

}  // namespace

TensorId ReleasedLayers::add(Layer layer) {
  const std::int32_t number = static_cast<std::int32_t>(graph_.tensors.size());
  const TensorId output{number};
  const std::string name = std::string(entry_of(layer.kind).name) + "_" + std::to_string(number);
  graph_.tensors.push_back(
      {.name = name, .shape = std::move(layer.shape), .element_bytes = kValueBytes});
  graph_.operations.push_back({.name = name,
                               .kind = layer.kind,
                               .inputs = std::move(layer.inputs),
                               .outputs = {output},
                               .flop = layer.flop,
                               .parameter_bytes = layer.parameters * kValueBytes});
  return output;
}

TensorId ReleasedLayers::add_like(LayerKind kind, TensorId in, std::int64_t flop_per_value) {
  return add({.kind = kind,
              .inputs = {in},
              .shape = shape(in),
              .flop = flop_per_value * value_count(shape(in))});
}

TensorId ReleasedLayers::input(Shape shape) {
  return add({.kind = LayerKind::Input, .inputs = {}, .shape = std::move(shape)});
}

// Counts one product per value of the input and not of the output: fault 3 with strides.
TensorId ReleasedLayers::conv2d(TensorId in, std::int64_t out_channels, Window window) {
  const Shape& from = shape(in);
  const Shape to = {from[0], out_channels, window_steps(from[2], window),
                    window_steps(from[3], window)};
  const std::int64_t area = window.kernel * window.kernel;
  return add({.kind = LayerKind::Conv2d,
              .inputs = {in},
              .shape = to,
              .flop = 2 * area * value_count(from) * out_channels + value_count(to),
              .parameters = out_channels * from[1] * area + out_channels});
}

TensorId ReleasedLayers::batch_norm(TensorId in) {
  return add({.kind = LayerKind::BatchNorm2d,
              .inputs = {in},
              .shape = shape(in),
              .flop = 2 * value_count(shape(in)),
              .parameters = 4 * shape(in)[1]});
}

TensorId ReleasedLayers::add_pool(LayerKind kind, TensorId in, Window window) {
  const Shape& from = shape(in);
  const Shape to = {from[0], from[1], window_steps(from[2], window), window_steps(from[3], window)};
  return add({.kind = kind,
              .inputs = {in},
              .shape = to,
              .flop = 2 * window.kernel * window.kernel * value_count(to)});
}

TensorId ReleasedLayers::max_pool(TensorId in, Window window) {
  return add_pool(LayerKind::MaxPool2d, in, window);
}

TensorId ReleasedLayers::avg_pool(TensorId in, Window window) {
  return add_pool(LayerKind::AvgPool2d, in, window);
}

TensorId ReleasedLayers::flatten(TensorId in) {
  const std::int64_t values = value_count(shape(in));
  const std::int64_t rows = shape(in)[0];
  return add(
      {.kind = LayerKind::Flatten, .inputs = {in}, .shape = {rows, values / rows}, .flop = values});
}

TensorId ReleasedLayers::linear(TensorId in, std::int64_t out_features) {
  const std::int64_t in_features = shape(in)[1];
  return add({.kind = LayerKind::Linear,
              .inputs = {in},
              .shape = {shape(in)[0], out_features},
              .flop = linear_flop(in_features, out_features),
              .parameters = linear_parameters(in_features, out_features)});
}

TensorId ReleasedLayers::linear_relu(TensorId in, std::int64_t out_features) {
  const std::int64_t in_features = shape(in)[1];
  const Shape to = {shape(in)[0], out_features};
  return add({.kind = LayerKind::LinearRelu,
              .inputs = {in},
              .shape = to,
              .flop = linear_flop(in_features, out_features) + value_count(to),
              .parameters = linear_parameters(in_features, out_features)});
}

TensorId ReleasedLayers::relu(TensorId in) {
  return add_like(LayerKind::Relu, in, 1);
}

TensorId ReleasedLayers::dropout(TensorId in) {
  return add_like(LayerKind::Dropout, in, 1);
}

TensorId ReleasedLayers::skip_add(TensorId in, TensorId other) {
  return add({.kind = LayerKind::SkipAdd,
              .inputs = {in, other},
              .shape = shape(in),
              .flop = value_count(shape(in))});
}

TensorId ReleasedLayers::qkv_projection(TensorId in, AttentionSize size) {
  const std::int64_t parameters = 3 * size.hidden * size.intermediate * size.heads;
  return add({.kind = LayerKind::QkvProjection,
              .inputs = {in},
              .shape = {3 * size.sequence, size.intermediate, size.heads},
              .flop = size.sequence * parameters,
              .parameters = parameters});
}

// Mask and dropout are part of it: one FLOP per value each.
TensorId ReleasedLayers::attention_scores(TensorId in, AttentionSize size) {
  const Shape to = {size.sequence, size.sequence, size.heads};
  return add({.kind = LayerKind::AttentionScores,
              .inputs = {in},
              .shape = to,
              .flop = value_count(to) * size.intermediate + 2 * value_count(to)});
}

// Joining the heads is part of it, and counted like the product itself.
TensorId ReleasedLayers::attention_values(TensorId in, AttentionSize size) {
  const Shape to = {size.sequence, size.intermediate * size.heads};
  return add({.kind = LayerKind::AttentionValues,
              .inputs = {in},
              .shape = to,
              .flop = 2 * size.sequence * value_count(to)});
}

// Backward costs twice the forward layer `of`, and the gradient has the shape of the layer after
// it: fault 2.
void ReleasedLayers::add_gradient(TensorId of, TensorId next, TensorId arriving) {
  std::vector<TensorId> inputs = {of, next};
  // The first gradient arrives from the loss, which is also the next layer: fault 5, without
  // reading it twice.
  if (arriving != next) inputs.push_back(arriving);
  const OutlineOperation& forward = at(graph_.operations, OperationId{index_of(of)});
  const std::string name = forward.name + "_grad";
  const TensorId gradient = add({.kind = LayerKind::Gradient,
                                 .inputs = std::move(inputs),
                                 .shape = shape(next),
                                 .flop = 2 * forward.flop});
  at(graph_.tensors, gradient).name = name;
  graph_.operations.back().name = name;
  graph_.operations.back().backward = true;
}

Outline ReleasedLayers::finish(TensorId in, std::int64_t classes) && {
  TensorId arriving = add({.kind = LayerKind::CrossEntropyLoss,
                           .inputs = {in},
                           .shape = {classes},
                           .flop = value_count(shape(in)) * classes});
  // A chain, whatever the forward pass looks like: fault 1.
  for (std::int32_t layer = index_of(arriving) - 1; layer >= 0; --layer) {
    add_gradient(TensorId{layer}, TensorId{layer + 1}, arriving);
    arriving = TensorId{static_cast<std::int32_t>(graph_.tensors.size()) - 1};
  }
  return std::move(graph_);
}

}  // namespace poet
