#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "poet/base/result.h"
#include "poet/data/dataset.h"

namespace poet {

struct SyntheticOptions {
  std::int64_t examples = 1;
  std::int64_t first_example = 0;  // of an endless row of them: other ranges are other examples
  std::uint64_t seed = 1;
  bool has_target = true;  // the last part; otherwise all parts are inputs
};

// Made-up examples with these parts, each a pure function of the seed and its number, that can be
// learnt, but not by looking at single values:
//
//   picture (C, H, W), label ()       shapes, turned, shifted, of any size and contrast, on noise
//   picture (C, H, W), labels (H, W)  the same; the label says which pixels are the shape
//   tokens (S), labels (S)            rows that count on by a stride, which differs from row to
//                                     row, with slips; the labels are the next tokens
//   tokens (S), label ()              words of a topic among others
//   anything else                     float inputs of which products of pairs decide
//
// Refuses labels and tokens of which the network does not say how many there are.
Result<std::unique_ptr<Dataset>> synthetic_dataset(const std::vector<ExamplePart>& parts,
                                                   const SyntheticOptions& options);

}  // namespace poet
