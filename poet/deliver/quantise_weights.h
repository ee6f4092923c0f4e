#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/shape.h"
#include "poet/graph/weight_blocks.h"

namespace poet {

// Published weights into blocks of few bits, as --weights reads them (docs/formats/quantised.md).
struct QuantiseRequest {
  std::string weights_path = {};  // as --weights has it
  std::string out_path = {};      // a safetensors file
  WeightBlocks blocks = {};
  // Of tensors of floats that have rows: "all", or "regex:" and a regular expression that is found
  // in their names.
  std::string tensors = "all";
};

// How far what is decoded lies from what was there.
struct QuantisedTensor {
  std::string name = {};
  Shape shape = {};
  std::int64_t bytes_before = 0;
  std::int64_t bytes_after = 0;
  double largest_error = 0;
  double mean_square_error = 0;
  double mean_square = 0;  // of the values themselves
};

struct QuantiseReport {
  std::vector<QuantisedTensor> tensors = {};  // in the order of their names
  std::int64_t kept_tensors = 0;              // which are as they were
  std::int64_t kept_bytes = 0;
};

// Writes the file, as a whole or not at all. Refuses what open_weights() refuses, a choice of
// nothing, and values that have no place in blocks.
Result<QuantiseReport> quantise_weights(const QuantiseRequest& request);

}  // namespace poet
