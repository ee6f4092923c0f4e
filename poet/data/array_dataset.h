#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/data/dataset.h"
#include "poet/data/number_array.h"
#include "poet/data/pixel_scale.h"

namespace poet {

// An array of which every row, the first dimension being that of the examples, is a part of one.
struct ArrayPart {
  ExamplePart part = {};  // its type without the dimension of the examples
  NumberArray array = {};
  // Of pixels (C, H, W): whole numbers of a byte that become Float32.
  std::optional<PixelScale> scale = {};
};

// The part that an array makes under a name: numbers with fractions, and those that are scaled, are
// Float32, others Int64. A picture (H, W) that is scaled is one of a single channel, (1, H, W).
Result<ArrayPart> array_part(const std::string& name, NumberArray array,
                             const std::optional<PixelScale>& scale);

// Examples of these parts. Refuses arrays of different lengths, and those without rows.
Result<std::unique_ptr<Dataset>> array_dataset(std::vector<ArrayPart> parts);

}  // namespace poet
