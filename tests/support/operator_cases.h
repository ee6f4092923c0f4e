#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "poet/graph/graph.h"
#include "poet/graph/operator.h"
#include "poet/kernels/evaluate.h"

namespace poet::testing {

// How the values of an input are drawn. All lie on a grid that float32 holds exactly, also after
// the small steps of a difference quotient.
enum class Draw {
  Smooth,    // from -1 to 1
  Positive,  // from 1/2 to 2
  Distinct,  // 1/8 and more away from each other, across the inputs, and from all multiples of 1/4:
             // no step crosses a kink, or changes which value is the largest
  Whole,     // whole numbers from 0 to `below`, for labels and indices
  Step,      // a poet_step_words
};

struct CaseInput {
  TensorType type;
  Draw draw = Draw::Smooth;
  std::int64_t below = 2;
  bool has_gradient = true;  // Float32 only
};

// A literal operation on literal shapes.
struct OperatorCase {
  std::string name;
  Operator kind = {};
  Attributes attributes = {};
  std::vector<CaseInput> inputs = {};
};

// At least one for every operator of the table that is not a gradient.
const std::vector<OperatorCase>& operator_cases();

// The operation and, where the operator has a gradient, all parts of it.
struct CaseGraph {
  Graph graph = {};
  std::vector<TensorId> inputs = {};
  TensorId output = {};           // the first one
  TensorId output_gradient = {};  // given
  // Of each input, where the table has a part for it.
  std::map<int, TensorId> gradients = {};
};
CaseGraph graph_of(const OperatorCase& one);

// Of all inputs, in their order; the same on every machine.
std::vector<TensorValue> values_of(const OperatorCase& one);

}  // namespace poet::testing
