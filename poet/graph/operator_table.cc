#include "poet/graph/operator_table.h"

#include <cstddef>

#include "poet/base/check.h"

namespace poet {

const std::vector<OperatorEntry>& operator_table() {
  static const std::vector<OperatorEntry> table = {
      {Operator::Input, "input", "InputLayer"},
      {Operator::Linear, "linear", "LinearLayer"},
      {Operator::LinearRelu, "linear_relu", "LinearLayerReLU"},
      {Operator::Conv2d, "conv2d", "Conv2dLayer"},
      {Operator::BatchNorm2d, "batch_norm", "BatchNorm2d"},
      {Operator::Relu, "relu", "ReLULayer"},
      {Operator::MaxPool2d, "max_pool", "MaxPool2d"},
      {Operator::AvgPool2d, "avg_pool", "AvgPool2d"},
      {Operator::Flatten, "flatten", "FlattenLayer"},
      {Operator::Dropout, "dropout", "DropoutLayer"},
      {Operator::SkipAdd, "skip_add", "SkipAddLayer"},
      {Operator::QkvProjection, "qkv", "QueryKeyValueMatrix"},
      {Operator::AttentionScores, "attention_scores", "QKTMatrix"},
      {Operator::AttentionValues, "attention_values", "QKTVMatrix"},
      {Operator::LayerNorm, "layer_norm", ""},
      {Operator::Gelu, "gelu", ""},
      {Operator::Softmax, "softmax", ""},
      {Operator::UpConv2d, "up_conv2d", ""},
      {Operator::Concat, "concat", ""},
      {Operator::CrossEntropyLoss, "loss", "CrossEntropyLoss"},
      {Operator::GradientSum, "gradient_sum", ""},
      {Operator::Gradient, "gradient", "GradientLayer"},
  };
  return table;
}

const OperatorEntry& entry_of(Operator id) {
  const OperatorEntry& entry = operator_table()[static_cast<std::size_t>(id)];
  POET_CHECK(entry.id == id);
  return entry;
}

}  // namespace poet
