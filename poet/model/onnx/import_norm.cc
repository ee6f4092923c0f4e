#include <fmt/format.h>

#include <algorithm>

#include "poet/model/batch_norm.h"
#include "poet/model/onnx/operators.h"

namespace poet {
namespace {

// Whether the node itself was exported to train: a flag since opset 14; before, by the outputs that
// only training makes.
bool exported_for_training(NodeImport& node) {
  if (node.opset() >= 14) return node.flag("training_mode", false);
  if (node.opset() < 7) return !node.flag("is_test", false) && node.output_count() > 1;
  return node.wants_output(1) || node.wants_output(2);
}

struct BatchNormNode {
  TensorId x{};
  BatchNormTensors tensors = {};
  float epsilon = 0;
  BatchNormRule rule = {};
};

BatchNormNode read_batch_norm(NodeImport& node) {
  node.expect_inputs(5, 5);
  node.ignore("consumed_inputs");
  if (node.opset() < 9 && node.whole("spatial", 1) != 1)
    node.refuse("POET has no batch norm with statistics for every pixel", ErrorCode::Unsupported);
  return {.x = node.tensor(0),
          .tensors = {.scale = node.weight(1),
                      .bias = node.weight(2),
                      .mean = node.statistic(3),
                      .variance = node.statistic(4)},
          .epsilon = node.number("epsilon", 1e-5F),
          // ONNX keeps the variance of the batch as it is, not PyTorch's unbiased one.
          .rule = {.rate = 1 - node.number("momentum", 0.9F), .unbiased = false}};
}

// By the statistics of the batch, and the new running statistics as outputs: for a file that asks
// for them.
void batch_norm_with_statistics(NodeImport& node, const BatchNormNode& norm) {
  const std::vector<TensorId> outputs =
      node.add_all(Operator::BatchNorm, NormAttributes{.epsilon = norm.epsilon},
                   {norm.x, norm.tensors.scale, norm.tensors.bias});
  if (node.failed()) return;
  node.output(0, outputs[0]);
  const Shape& shape = node.shape_of(norm.x);
  const RunningAttributes running{.rate = norm.rule.rate,
                                  .unbiased = norm.rule.unbiased,
                                  .epsilon = norm.epsilon,
                                  .count = value_count(shape) / shape[1]};
  const std::vector<TensorId> statistics =
      node.add_all(Operator::RunningStatistics, running,
                   {norm.tensors.mean, norm.tensors.variance, outputs[1], outputs[2]});
  if (node.failed()) return;
  node.output(1, statistics[0]);
  node.output(2, statistics[1]);
}

void import_batch_norm(NodeImport& node) {
  const BatchNormNode norm = read_batch_norm(node);
  const bool training = exported_for_training(node);
  if (node.failed()) return;
  if (training && (node.is_needed(1) || node.is_needed(2)))
    return batch_norm_with_statistics(node, norm);
  const bool trains = training || node.options().batch_norms == BatchNormTraining::ByBatch;
  node.output(0, node.batch_norm(norm.x, norm.tensors, norm.epsilon,
                                 trains ? std::optional(norm.rule) : std::nullopt));
}

// The statistics that LayerNormalization gives beside its result keep the dimensions that it is
// over, with extent 1.
void import_layer_norm(NodeImport& node) {
  node.expect_inputs(2, 3);
  const Shape shape = node.shape(0);
  const std::int64_t axis =
      node.axis(node.whole("axis", -1), static_cast<std::int64_t>(shape.size()));
  const float epsilon = node.number("epsilon", 1e-5F);
  node.ignore("stash_type");
  if (node.failed()) return;
  const Shape features(shape.begin() + axis, shape.end());
  const TensorId bias = node.has_input(2) ? node.weight(2) : node.filled(features, 0);
  const std::vector<TensorId> outputs =
      node.add_all(Operator::LayerNorm, NormAttributes{.epsilon = epsilon, .axis = axis},
                   {node.tensor(0), node.weight(1), bias});
  if (node.failed()) return;
  node.output(0, outputs[0]);
  Shape kept(shape.size(), 1);
  std::copy(shape.begin(), shape.begin() + axis, kept.begin());
  for (int k = 1; k < 3; ++k)
    node.output(k, node.reshaped(outputs[static_cast<std::size_t>(k)], kept));
}

void import_instance_norm(NodeImport& node) {
  node.expect_inputs(3, 3);
  node.ignore("consumed_inputs");
  const Shape shape = node.shape(0);
  const float epsilon = node.number("epsilon", 1e-5F);
  if (!node.failed() && shape.size() < 2)
    node.refuse(fmt::format("takes (N, C, ...), not {}", to_text(shape)));
  if (node.failed()) return;
  // A group norm that is written as one of instances has neither; its own come behind it.
  const bool fills = node.is_filler(1, 1) && node.is_filler(2, 0);
  node.output(0,
              node.add(Operator::GroupNorm, NormAttributes{.epsilon = epsilon, .groups = shape[1]},
                       {node.tensor(0), fills ? node.fixed(1) : node.weight(1),
                        fills ? node.fixed(2) : node.weight(2)}));
}

// In opset 18 scale and bias are one for each group, since 21 one for each channel.
TensorId of_every_channel(NodeImport& node, int i, std::int64_t channels, std::int64_t groups) {
  const TensorId x = node.weight(i);
  if (node.failed() || node.opset() >= 21 || groups == channels) return x;
  if (node.shape_of(x) != Shape{groups}) {
    node.refuse(fmt::format("takes {} values for scale and bias, not {}", groups,
                            to_text(node.shape_of(x))));
    return x;
  }
  const TensorId expanded = node.add(Operator::Expand, ShapeAttributes{{groups, channels / groups}},
                                     {node.reshaped(x, {groups, 1})});
  return node.reshaped(expanded, {channels});
}

void import_group_norm(NodeImport& node) {
  node.expect_inputs(3, 3);
  const Shape shape = node.shape(0);
  const float epsilon = node.number("epsilon", 1e-5F);
  const std::int64_t groups = node.whole("num_groups", 0);
  node.ignore("stash_type");
  if (!node.failed() && (shape.size() < 3 || groups < 1 || shape[1] % groups != 0))
    node.refuse(fmt::format("{} groups do not divide the channels of {}", groups, to_text(shape)));
  if (node.failed()) return;
  node.output(0, node.add(Operator::GroupNorm, NormAttributes{.epsilon = epsilon, .groups = groups},
                          {node.tensor(0), of_every_channel(node, 1, shape[1], groups),
                           of_every_channel(node, 2, shape[1], groups)}));
}

// Before opset 13 it is over all dimensions from the axis on, as one.
template <Operator kKind>
void import_softmax(NodeImport& node) {
  node.expect_inputs(1, 1);
  const Shape shape = node.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = node.axis(node.whole("axis", node.opset() < 13 ? 1 : -1), rank);
  const TensorId x = node.tensor(0);
  if (node.failed()) return;
  if (node.opset() >= 13 || axis == rank - 1)
    return node.output(0, node.add(kKind, AxisAttributes{axis}, {x}));
  const std::int64_t rows = value_count(Shape(shape.begin(), shape.begin() + axis));
  const TensorId flat = node.reshaped(x, {rows, value_count(shape) / rows});
  const TensorId y = node.add(kKind, AxisAttributes{1}, {flat});
  node.output(0, node.reshaped(y, shape));
}

// (x - mean) / (sqrt(variance) + 1e-9). The format's own text has the variance as mean of x^2 -
// mean^2; of values that hardly differ, rounding may bring that below 0, where there is no root.
void import_mean_variance(NodeImport& node) {
  node.expect_inputs(1, 1);
  std::vector<std::int64_t> axes{0, 2, 3};
  if (node.has_attribute("axes")) axes = node.wholes("axes");
  const ReduceAttributes over{.axes = node.axes(axes, node.rank(0))};
  const TensorId x = node.tensor(0);
  const TensorId mean = node.add(Operator::ReduceMean, over, {x});
  const TensorId centred = node.add(Operator::Sub, std::monostate{}, {x, mean});
  const TensorId squares = node.add(Operator::Mul, std::monostate{}, {centred, centred});
  const TensorId variance = node.add(Operator::ReduceMean, over, {squares});
  const TensorId deviation = node.add(Operator::Sqrt, std::monostate{}, {variance});
  const TensorId below = node.add(Operator::Add, std::monostate{}, {deviation, node.scalar(1e-9F)});
  node.output(0, node.add(Operator::Div, std::monostate{}, {centred, below}));
}

}  // namespace

std::vector<OnnxOperator> norm_onnx_operators() {
  return {{"BatchNormalization", import_batch_norm},
          {"LayerNormalization", import_layer_norm},
          {"GroupNormalization", import_group_norm},
          {"InstanceNormalization", import_instance_norm},
          {"MeanVarianceNormalization", import_mean_variance},
          {"Softmax", import_softmax<Operator::Softmax>},
          {"LogSoftmax", import_softmax<Operator::LogSoftmax>}};
}

}  // namespace poet
