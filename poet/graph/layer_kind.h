#pragma once

#include <string_view>
#include <vector>

namespace poet {

// What an operation of an outline does.
enum class LayerKind {
  Input,
  Linear,
  LinearRelu,
  Conv2d,
  BatchNorm2d,
  Relu,
  MaxPool2d,
  AvgPool2d,
  Flatten,
  Dropout,
  SkipAdd,
  QkvProjection,
  AttentionScores,
  AttentionValues,
  LayerNorm,
  Gelu,
  Softmax,
  UpConv2d,  // transposed convolution
  Concat,
  CrossEntropyLoss,
  GradientSum,  // of what reaches one tensor from several readers
  Gradient,
};

// One row per operator, in the order of the enumerators.
struct LayerKindEntry {
  LayerKind id{};
  std::string_view name;  // "conv2d": in names of operations and for people
  // "Conv2dLayer": the class in the released POET code; empty where that has none
  std::string_view released_name;
};
const std::vector<LayerKindEntry>& layer_kind_table();

const LayerKindEntry& entry_of(LayerKind id);

}  // namespace poet
