#include "poet/graph/outline.h"

#include <cstddef>

#include "poet/base/check.h"

namespace poet {

const std::vector<LayerKindEntry>& layer_kind_table() {
  static const std::vector<LayerKindEntry> table = {
      {LayerKind::Input, "input", "InputLayer"},
      {LayerKind::Linear, "linear", "LinearLayer"},
      {LayerKind::LinearRelu, "linear_relu", "LinearLayerReLU"},
      {LayerKind::Conv2d, "conv2d", "Conv2dLayer"},
      {LayerKind::BatchNorm2d, "batch_norm", "BatchNorm2d"},
      {LayerKind::Relu, "relu", "ReLULayer"},
      {LayerKind::MaxPool2d, "max_pool", "MaxPool2d"},
      {LayerKind::AvgPool2d, "avg_pool", "AvgPool2d"},
      {LayerKind::Flatten, "flatten", "FlattenLayer"},
      {LayerKind::Dropout, "dropout", "DropoutLayer"},
      {LayerKind::SkipAdd, "skip_add", "SkipAddLayer"},
      {LayerKind::QkvProjection, "qkv", "QueryKeyValueMatrix"},
      {LayerKind::AttentionScores, "attention_scores", "QKTMatrix"},
      {LayerKind::AttentionValues, "attention_values", "QKTVMatrix"},
      {LayerKind::LayerNorm, "layer_norm", ""},
      {LayerKind::Gelu, "gelu", ""},
      {LayerKind::Softmax, "softmax", ""},
      {LayerKind::UpConv2d, "up_conv2d", ""},
      {LayerKind::Concat, "concat", ""},
      {LayerKind::CrossEntropyLoss, "loss", "CrossEntropyLoss"},
      {LayerKind::GradientSum, "gradient_sum", ""},
      {LayerKind::Gradient, "gradient", "GradientLayer"},
  };
  return table;
}

const LayerKindEntry& entry_of(LayerKind id) {
  const LayerKindEntry& entry = layer_kind_table()[static_cast<std::size_t>(id)];
  POET_CHECK(entry.id == id);
  return entry;
}

std::int64_t size_bytes(const OutlineTensor& tensor) {
  std::int64_t size = tensor.element_bytes;
  for (const std::int64_t extent : tensor.shape) size *= extent;
  return size;
}

}  // namespace poet
