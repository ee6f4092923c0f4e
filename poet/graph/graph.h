#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/home.h"
#include "poet/base/ids.h"
#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/graph/attributes.h"
#include "poet/graph/operator_id.h"
#include "poet/graph/tensor_type.h"

namespace poet {

// What a tensor is for. Activations and gradients are made by operations; the others are given.
enum class TensorRole {
  Activation,
  Input,      // a part of the batch: pictures, tokens, labels
  Parameter,  // may be trained
  Constant,   // never changes
  Statistic,  // running mean or variance of a batch norm
  Step,       // poet_step_words (poet/runtime/step.h): seed, step number, learning rate
  Gradient,
  OptimiserState,
};

inline constexpr Named<TensorRole> kTensorRoles[] = {
    {"activation", TensorRole::Activation}, {"input", TensorRole::Input},
    {"parameter", TensorRole::Parameter},   {"constant", TensorRole::Constant},
    {"statistic", TensorRole::Statistic},   {"step", TensorRole::Step},
    {"gradient", TensorRole::Gradient},     {"optimiser state", TensorRole::OptimiserState}};

// An array that an operation makes or reads.
struct GraphTensor {
  std::string name = {};  // unique in its graph
  TensorType type = {};
  TensorRole role = TensorRole::Activation;
  // Made exactly when an operation of the graph has it as an output; new values of what lies
  // elsewhere are Made too, and their operation's row says what they update.
  Home home = Home::Made;

  bool operator==(const GraphTensor&) const = default;
};

// One operation: a row of the operator table at work. Executing it again gives the same bits.
struct GraphOperation {
  std::string name = {};  // unique in its graph
  Operator kind = {};
  Attributes attributes = {};
  // In the order of the operator's page in the table; may repeat; optional ones stand last and are
  // left out.
  std::vector<TensorId> inputs = {};
  std::vector<TensorId> outputs = {};  // at least one
  bool backward = false;               // a gradient, or an update

  bool operator==(const GraphOperation&) const = default;
};

// Operations on tensors, in a topological order: a network's forward pass, or a whole training
// step. Ids are positions in these lists.
struct Graph {
  std::string name = {};
  std::vector<GraphOperation> operations = {};
  std::vector<GraphTensor> tensors = {};
  std::vector<TensorId> outputs = {};  // what the graph is run for: logits, or the loss

  bool operator==(const Graph&) const = default;
};

// Nothing when the graph is well formed; otherwise the first rule it breaks, naming the operation
// or tensor: ids in range, names unique, inputs made before they are read, one producer for each
// made tensor and none for others, shapes as check_shape() wants them, and what the operators' own
// rules say of attributes, inputs and outputs.
Failure check_graph(const Graph& graph);

// Adds a tensor, or an operation of which the shape rule gives the outputs: `name` for the only
// one, "name:1" and so on for further ones. Names must be new. Refuses what the operator's rule
// refuses, in a sentence that names the operation.
TensorId add_tensor(Graph& graph, GraphTensor tensor);
Result<std::vector<TensorId>> add_operation(Graph& graph, GraphOperation operation_without_outputs);

}  // namespace poet
