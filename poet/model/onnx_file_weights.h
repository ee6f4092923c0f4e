#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/shape.h"

namespace poet {

// New float32 values of a tensor of the file, row-major.
struct OnnxWeight {
  std::string name = {};
  Shape shape = {};
  std::span<const std::byte> values = {};
};

// Writes the model at `original` to `path` with these weights in place of its own: initializers
// get the new values, and what a node made of constants becomes an initializer. All else stays,
// external data moves into the file; types of fewer bits than float32 are rounded to the nearest.
// The file appears whole or not at all, and may replace the original. Refuses weights that the file
// has not got or that have another shape there, and results of more than 2 GiB.
Failure write_onnx_weights(const std::string& original, const std::string& path,
                           const std::vector<OnnxWeight>& weights);

}  // namespace poet
