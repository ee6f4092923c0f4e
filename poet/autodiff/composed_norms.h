#pragma once

#include <set>

#include "poet/graph/graph.h"

namespace poet {

struct NormParameters {
  std::set<TensorId> scales = {};
  std::set<TensorId> biases = {};
};

// The parameters of norms that are written in pieces: a value divided by the root of the mean of
// its squares, times a scale, plus a bias where there is one. RMS norms have no operator of their
// own (Zhang and Sennrich, "Root mean square layer normalization", 2019, equation 4; a scale may be
// stored less one), and exporters to ONNX before opset 17 write layer norms so.
NormParameters composed_norms(const Graph& graph);

}  // namespace poet
