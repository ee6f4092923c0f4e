#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/autodiff/training_graph.h"
#include "poet/graph/operator_id.h"
#include "poet/parts/grids.h"

namespace poet {

// What was cut of a step, how, and why: for people. The names are those of the step in stages.

// Dimensions that are cut at the same places.
struct CutDimensions {
  std::int64_t extent = 1;
  std::int64_t block = 1;         // less than the extent
  std::int64_t tensors = 0;       // that have such a dimension
  std::string largest = {};       // of these
  int dimension = 0;              // of the largest
  std::string because_of = {};    // the operation that did not fit with larger blocks
  std::int64_t needed_bytes = 0;  // that it needed

  bool operator==(const CutDimensions&) const = default;
};

struct CutOperation {
  std::string name = {};
  Operator kind = {};
  std::int64_t whole_bytes = 0;  // inputs and outputs
  std::int64_t apart = 1;        // parts that share nothing
  std::int64_t in_sum = 1;       // so many of each go on with each other's sum

  bool operator==(const CutOperation&) const = default;
};

struct Cuts {
  std::vector<CutDimensions> dimensions = {};  // that are cut
  std::vector<CutOperation> operations = {};   // that are, in the order of the step
  std::int64_t whole_operations = 0;           // all others

  bool operator==(const Cuts&) const = default;
};

Cuts cuts_made(const Graph& graph, const Grids& grids);

}  // namespace poet
