#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/home.h"
#include "poet/base/ids.h"
#include "poet/graph/operator_table.h"

namespace poet {

// An array that an operation makes or reads.
struct GraphTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // outermost dimension first; every one positive
  std::int64_t element_bytes = 4;
  Home home = Home::Made;

  bool operator==(const GraphTensor&) const = default;
};

// The product of shape and element_bytes. Who builds a graph makes sure that it fits in 63 bits.
std::int64_t size_bytes(const GraphTensor& tensor);

// One operation of a training step.
struct GraphOperation {
  std::string name;  // unique: "conv2d_4", its gradient "conv2d_4_grad"
  Operator kind = Operator::Input;
  std::vector<TensorId> inputs;   // each at most once
  std::vector<TensorId> outputs;  // at least one
  std::int64_t flop = 0;          // of one execution
  // Of parameters that lie outside every budget, as in the released graphs; a graph with parameters
  // as tensors has 0.
  std::int64_t parameter_bytes = 0;
  bool backward = false;

  bool operator==(const GraphOperation&) const = default;
};

// A training step: operations on tensors, in a topological order. Ids are positions in these lists.
struct Graph {
  std::string name;
  std::vector<GraphOperation> operations;
  std::vector<GraphTensor> tensors;

  bool operator==(const Graph&) const = default;
};

}  // namespace poet
