#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/graph/graph.h"

namespace poet {

// A few operations of a network that people think of as one: a convolution with its norm and its
// activation. Views belong to what they look at.
struct DrawnLayer {
  std::string name = {};                  // of its first operation
  std::vector<Operator> kinds = {};       // of its operations, in order, without views
  Shape shape = {};                       // of what comes out
  std::int64_t parameters = 0;            // values that it reads, trained or not
  std::vector<std::int32_t> inputs = {};  // positions of the layers that it reads, each once
  std::vector<TensorId> given = {};       // inputs of the network that it reads, each once

  bool operator==(const DrawnLayer&) const = default;
};

// The layers of a network's forward pass, in the order of their last operations but never before
// one that they read. An operation joins the layer before it when that layer's result is all that
// it reads besides parameters, nobody else reads that, and it is no product of matrices,
// convolution, lookup, pooling, mean or slice: those begin a layer.
std::vector<DrawnLayer> layers_of(const Graph& graph);

// Layers [begin, begin + period), and the same again `count` - 1 times right after them.
struct Repeat {
  std::int32_t begin = 0;
  std::int32_t period = 0;
  std::int32_t count = 0;

  std::int32_t end() const { return begin + period * count; }
  bool operator==(const Repeat&) const = default;
};

// Runs of equal pieces, none overlapping, in order: again and again the one that saves most. Pieces
// are equal when their layers are, but for names, and when each layer reads what is as far away
// from it, or else the same from outside the run; the first piece may read anything from outside.
// Each piece reads the one before it: what stands side by side is no run.
std::vector<Repeat> repeats_of(const std::vector<DrawnLayer>& layers);

}  // namespace poet
