#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/model/model.h"

namespace poet {

// Which parameters of a forward graph are trained:
//   all            every one
//   encoder        all but embeddings: tables that rows are looked up in, and whatever has a part
//                  of its name that begins with "embed", or is "wte" or "wpe"
//   last:N         those of the last N layers that have parameters; a layer is what has one name
//                  before the last dot
//   bias           added ones: of convolutions, products and norms, and those called "bias"
//   norm           scales and biases of norms
//   unquantised    those that are not kept in blocks of few bits
//   regex:PATTERN  those in whose names a regular expression is found (regular_expression.h)
//   except:PATTERN all but those
//   layers:A,B     those of these layers, by their whole names
// With '+' between them, what any of them chooses; names and patterns may have a '+' and stand
// last. One flag for each tensor of the graph. Refuses other words, and choices of nothing.
Result<std::vector<bool>> chosen_parameters(const Graph& graph, std::string_view choice);

// What is wrong with such words whatever the network is, so that a question can be refused before
// its network is read.
Failure check_parameter_choice(std::string_view choice);

// What a parameter belongs to, and all of these that have parameters, in the order of the operation
// that first reads one of them.
std::string layer_of(const GraphTensor& tensor);
std::vector<std::string> layers_of(const Graph& graph);

// The same of a model. Where it has adapters, these are trained, and of its other parameters those
// that the choice adds; "all", which is the default of who asks, adds none.
Result<std::vector<bool>> trained_parameters(const Model& model, std::string_view choice);

}  // namespace poet
