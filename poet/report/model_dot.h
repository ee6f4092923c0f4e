#pragma once

#include <string>

#include "poet/graph/graph.h"

namespace poet {

// A network's forward pass in the language of Graphviz: a box per layer (layers_of()) with its
// operators, the shape that comes out and how many parameters it has; an ellipse per input. Layers
// with parameters are filled. Of pieces that repeat (repeats_of()) the first is drawn, in a frame
// that says how often.
std::string model_dot(const Graph& graph);

}  // namespace poet
