#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/graph/outline.h"
#include "poet/graph/shape.h"

namespace poet {

// What the gradient of a layer by one of its inputs reads besides the gradient of its output.
enum class GradientReads {
  Nothing,         // average pooling, concatenation
  Input,           // convolution, linear layer, norms: the one input
  OtherInput,      // matrix product of two inputs
  Output,          // ReLU, softmax
  InputAndOutput,  // max pooling
};

enum class GradientWork {
  Computed,       // an operation for each input
  PassedThrough,  // the gradient of the output is that of each input: addition
};

// One operation of a forward pass, and how it is differentiated.
struct Layer {
  std::string name;
  LayerKind kind{};
  std::vector<TensorId> inputs;
  Shape shape;  // of its output
  std::int64_t flop = 0;
  GradientWork gradient = GradientWork::Computed;
  GradientReads reads = GradientReads::Nothing;
  std::int64_t input_gradient_flop = 0;   // by one input
  std::int64_t weight_gradient_flop = 0;  // by all its parameters; folded into the same operation
  std::int64_t parameter_count = 0;       // 0: it has none
};

// A forward pass under construction, and its gradient by reverse-mode differentiation. Values are
// floats of 4 bytes. Operation v makes tensor v. Parameters, their gradients and the labels lie
// outside the graph, as in the released graphs.
class Tape {
 public:
  explicit Tape(std::string name) { graph_.name = std::move(name); }

  // What the step is given. It needs no gradient.
  TensorId input(std::string name, Shape shape);
  TensorId add(Layer layer);
  const Shape& shape(TensorId tensor) const { return at(graph_.tensors, tensor).shape; }

  // Adds the gradients of everything that the layers up to `loss`, the last of them, can be
  // trained by, from the last layer to the first. A tensor with several readers gets the sum of
  // their gradients, added up one by one as soon as they are made. The gradient of the loss itself
  // is 1 and is not stored. A layer whose input needs no gradient makes that of its parameters
  // alone: its output is one value, because these lie outside the graph.
  Outline differentiate() &&;

 private:
  // The gradients that have reached a tensor so far, added up.
  struct Reached {
    std::optional<TensorId> sum = {};
    int terms = 0;
  };

  bool is_trained(const Layer& layer) const;
  void differentiate(TensorId output);
  void gradient_by(TensorId output, std::size_t input);
  void accumulate(TensorId of, TensorId gradient);
  TensorId append(OutlineOperation operation, Shape shape);
  Layer& layer(TensorId output) { return layers_[static_cast<std::size_t>(output)]; }

  Outline graph_;
  std::vector<Layer> layers_;       // that of each forward tensor
  std::vector<bool> has_gradient_;  // of each forward tensor: it is trained, or made from such
  std::vector<Reached> gradients_;  // of each forward tensor
};

}  // namespace poet
