#include "poet/model/generated_layers.h"

#include <utility>

namespace poet {
namespace {

// FLOP of one value of the output.
constexpr std::int64_t kNormFlop = 8;  // mean, variance, normalise, scale and shift
constexpr std::int64_t kNormGradientFlop = 12;
constexpr std::int64_t kGeluFlop = 10;
constexpr std::int64_t kGeluGradientFlop = 14;
constexpr std::int64_t kSoftmaxFlop = 5;
constexpr std::int64_t kSoftmaxGradientFlop = 4;
constexpr std::int64_t kLossFlop = 6;
constexpr std::int64_t kLossGradientFlop = 6;

// A layer with weights that multiplies: each of both gradients takes as long as the layer.
Layer multiplying(std::string name, LayerKind kind, TensorId in, Shape shape, std::int64_t flop) {
  return {.name = std::move(name),
          .kind = kind,
          .inputs = {in},
          .shape = std::move(shape),
          .flop = flop,
          .reads = GradientReads::Input,
          .input_gradient_flop = flop,
          .weight_gradient_flop = flop};
}

// A layer that does the same to each value of its input.
Layer each_value(std::string name, LayerKind kind, const Tape& tape, TensorId in) {
  return {.name = std::move(name), .kind = kind, .inputs = {in}, .shape = tape.shape(in)};
}

TensorId norm(Tape& tape, std::string name, LayerKind kind, TensorId in, std::int64_t features) {
  Layer layer = each_value(std::move(name), kind, tape, in);
  layer.flop = kNormFlop * value_count(layer.shape);
  layer.reads = GradientReads::Input;
  layer.weight_gradient_flop = kNormGradientFlop * value_count(layer.shape);
  layer.parameter_count = 2 * features;
  return tape.add(std::move(layer));
}

TensorId mean(Tape& tape, std::string name, TensorId in, Shape shape) {
  const std::int64_t count = value_count(tape.shape(in));
  return tape.add({.name = std::move(name),
                   .kind = LayerKind::AvgPool2d,
                   .inputs = {in},
                   .shape = std::move(shape),
                   .flop = count,
                   .input_gradient_flop = count});
}

}  // namespace

TensorId conv(Tape& tape, std::string name, TensorId in, std::int64_t channels, WindowSize kernel) {
  const Shape& from = tape.shape(in);
  const Shape to = {from[0], channels, (from[2] + kernel.stride - 1) / kernel.stride,
                    (from[3] + kernel.stride - 1) / kernel.stride};
  const std::int64_t weights = kernel.size * kernel.size * from[1];  // of one output
  Layer layer =
      multiplying(std::move(name), LayerKind::Conv2d, in, to, 2 * weights * value_count(to));
  layer.parameter_count = weights * channels;
  return tape.add(std::move(layer));
}

TensorId up_conv(Tape& tape, std::string name, TensorId in, std::int64_t channels) {
  const Shape& from = tape.shape(in);
  const Shape to = {from[0], channels, 2 * from[2], 2 * from[3]};
  Layer layer =
      multiplying(std::move(name), LayerKind::UpConv2d, in, to, 2 * from[1] * value_count(to));
  layer.parameter_count = 4 * from[1] * channels;
  return tape.add(std::move(layer));
}

TensorId batch_norm(Tape& tape, std::string name, TensorId in) {
  return norm(tape, std::move(name), LayerKind::BatchNorm2d, in, tape.shape(in)[1]);
}

TensorId layer_norm(Tape& tape, std::string name, TensorId in) {
  return norm(tape, std::move(name), LayerKind::LayerNorm, in, tape.shape(in).back());
}

TensorId relu(Tape& tape, std::string name, TensorId in) {
  Layer layer = each_value(std::move(name), LayerKind::Relu, tape, in);
  layer.flop = layer.input_gradient_flop = value_count(layer.shape);
  layer.reads = GradientReads::Output;
  return tape.add(std::move(layer));
}

TensorId gelu(Tape& tape, std::string name, TensorId in) {
  Layer layer = each_value(std::move(name), LayerKind::Gelu, tape, in);
  layer.flop = kGeluFlop * value_count(layer.shape);
  layer.input_gradient_flop = kGeluGradientFlop * value_count(layer.shape);
  layer.reads = GradientReads::Input;
  return tape.add(std::move(layer));
}

TensorId softmax(Tape& tape, std::string name, TensorId in) {
  Layer layer = each_value(std::move(name), LayerKind::Softmax, tape, in);
  layer.flop = kSoftmaxFlop * value_count(layer.shape);
  layer.input_gradient_flop = kSoftmaxGradientFlop * value_count(layer.shape);
  layer.reads = GradientReads::Output;
  return tape.add(std::move(layer));
}

TensorId halving_max_pool(Tape& tape, std::string name, TensorId in) {
  const Shape& from = tape.shape(in);
  const Shape to = {from[0], from[1], from[2] / 2, from[3] / 2};
  return tape.add({.name = std::move(name),
                   .kind = LayerKind::MaxPool2d,
                   .inputs = {in},
                   .shape = to,
                   .flop = 4 * value_count(to),
                   .reads = GradientReads::InputAndOutput,
                   .input_gradient_flop = 4 * value_count(to)});
}

TensorId picture_mean(Tape& tape, std::string name, TensorId in) {
  const Shape& from = tape.shape(in);
  return mean(tape, std::move(name), in, {from[0], from[1]});
}

TensorId token_mean(Tape& tape, std::string name, TensorId in) {
  const Shape& from = tape.shape(in);
  return mean(tape, std::move(name), in, {from[0], from[2]});
}

TensorId concat(Tape& tape, std::string name, TensorId a, TensorId b) {
  Shape shape = tape.shape(a);
  const std::int64_t count = value_count(shape);
  shape[1] *= 2;
  return tape.add({.name = std::move(name),
                   .kind = LayerKind::Concat,
                   .inputs = {a, b},
                   .shape = std::move(shape),
                   .flop = 2 * count,
                   .input_gradient_flop = count});
}

TensorId add(Tape& tape, std::string name, TensorId a, TensorId b) {
  return tape.add({.name = std::move(name),
                   .kind = LayerKind::SkipAdd,
                   .inputs = {a, b},
                   .shape = tape.shape(a),
                   .flop = value_count(tape.shape(a)),
                   .gradient = GradientWork::PassedThrough});
}

TensorId linear(Tape& tape, std::string name, TensorId in, std::int64_t features) {
  Shape shape = tape.shape(in);
  const std::int64_t from_features = std::exchange(shape.back(), features);
  Layer layer = multiplying(std::move(name), LayerKind::Linear, in, shape,
                            2 * from_features * value_count(shape));
  layer.parameter_count = (from_features + 1) * features;
  return tape.add(std::move(layer));
}

TensorId attention_scores(Tape& tape, std::string name, TensorId queries, TensorId keys,
                          std::int64_t heads) {
  const Shape& from = tape.shape(queries);
  const std::int64_t flop = 2 * from[0] * from[1] * from[1] * from[2];
  return tape.add({.name = std::move(name),
                   .kind = LayerKind::AttentionScores,
                   .inputs = {queries, keys},
                   .shape = {from[0], heads, from[1], from[1]},
                   .flop = flop,
                   .reads = GradientReads::OtherInput,
                   .input_gradient_flop = flop});
}

TensorId attention_values(Tape& tape, std::string name, TensorId weights, TensorId values) {
  const Shape& from = tape.shape(values);
  const std::int64_t flop = 2 * from[0] * from[1] * from[1] * from[2];
  return tape.add({.name = std::move(name),
                   .kind = LayerKind::AttentionValues,
                   .inputs = {weights, values},
                   .shape = from,
                   .flop = flop,
                   .reads = GradientReads::OtherInput,
                   .input_gradient_flop = flop});
}

TensorId cross_entropy(Tape& tape, TensorId in) {
  const std::int64_t count = value_count(tape.shape(in));
  return tape.add({.name = "loss",
                   .kind = LayerKind::CrossEntropyLoss,
                   .inputs = {in},
                   .shape = {},
                   .flop = kLossFlop * count,
                   .reads = GradientReads::Input,
                   .input_gradient_flop = kLossGradientFlop * count});
}

}  // namespace poet
