#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/graph/outline.h"
#include "poet/graph/shape.h"

namespace poet {

struct Window {
  std::int64_t kernel = 1;  // square
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};

// The dimensions of one transformer block, in the words of the released code.
struct AttentionSize {
  std::int64_t sequence = 0;      // SEQ_LEN
  std::int64_t hidden = 0;        // HIDDEN_DIM
  std::int64_t intermediate = 0;  // I, of one head
  std::int64_t heads = 0;         // HEADS
};

// Builds a network of the released POET code layer by layer, with the shapes, parameter counts and
// FLOP that the code gives each (poet/power_computation.py and power_computation_transformer.py of
// github.com/ShishirPatil/poet), its faults, numbered in docs/decisions/0004-released-graphs.md,
// included. Each call adds one operation with one output tensor of the same number and returns it;
// the operation reads the tensors that it is given.
class ReleasedLayers {
 public:
  explicit ReleasedLayers(std::string name) { graph_.name = std::move(name); }

  // N is the batch size, C channels, H and W the picture.
  TensorId input(Shape shape);
  TensorId conv2d(TensorId in, std::int64_t out_channels, Window window);  // (N, C, H, W)
  TensorId batch_norm(TensorId in);                                        // (N, C, H, W)
  TensorId max_pool(TensorId in, Window window);                           // (N, C, H, W)
  TensorId avg_pool(TensorId in, Window window);                           // (N, C, H, W)
  TensorId flatten(TensorId in);                                 // (N, ...) to (N, all the rest)
  TensorId linear(TensorId in, std::int64_t out_features);       // (N, features)
  TensorId linear_relu(TensorId in, std::int64_t out_features);  // (N, features)
  TensorId relu(TensorId in);
  TensorId dropout(TensorId in);
  TensorId skip_add(TensorId in, TensorId other);  // shaped like `in`
  TensorId qkv_projection(TensorId in, AttentionSize size);
  TensorId attention_scores(TensorId in, AttentionSize size);
  TensorId attention_values(TensorId in, AttentionSize size);

  // Adds the loss over `classes` and, for each layer from the last to the first, its gradient. The
  // network is complete.
  Outline finish(TensorId in, std::int64_t classes) &&;

 private:
  struct Layer {
    LayerKind kind{};
    std::vector<TensorId> inputs;
    Shape shape;
    std::int64_t flop = 0;
    std::int64_t parameters = 0;
  };
  TensorId add(Layer layer);
  TensorId add_like(LayerKind kind, TensorId in, std::int64_t flop_per_value);
  TensorId add_pool(LayerKind kind, TensorId in, Window window);
  void add_gradient(TensorId of, TensorId next, TensorId arriving);
  const Shape& shape(TensorId tensor) const { return at(graph_.tensors, tensor).shape; }

  Outline graph_;
};

}  // namespace poet
