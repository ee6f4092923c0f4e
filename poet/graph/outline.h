#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/home.h"
#include "poet/base/ids.h"

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

// An array that an operation makes or reads.
struct OutlineTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // outermost dimension first; every one positive
  std::int64_t element_bytes = 4;
  Home home = Home::Made;

  bool operator==(const OutlineTensor&) const = default;
};

// The product of shape and element_bytes. Who builds a graph makes sure that it fits in 63 bits.
std::int64_t size_bytes(const OutlineTensor& tensor);

// One operation of an outline.
struct OutlineOperation {
  std::string name;  // unique: "conv2d_4", its gradient "conv2d_4_grad"
  LayerKind kind = LayerKind::Input;
  std::vector<TensorId> inputs;   // each at most once
  std::vector<TensorId> outputs;  // at least one
  std::int64_t flop = 0;          // of one execution
  // Of parameters that lie outside every budget, as in the released graphs; a graph with parameters
  // as tensors has 0.
  std::int64_t parameter_bytes = 0;
  bool backward = false;

  bool operator==(const OutlineOperation&) const = default;
};

// A training step of which only shapes and FLOP are known: the released and the generated networks,
// for comparison and for trying planners on. What can be trained is a Graph (poet/graph/graph.h).
// Operations are in a topological order; ids are positions in these lists.
struct Outline {
  std::string name;
  std::vector<OutlineOperation> operations;
  std::vector<OutlineTensor> tensors;

  bool operator==(const Outline&) const = default;
};

}  // namespace poet
