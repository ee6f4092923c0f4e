#pragma once

#include "poet/base/result.h"
#include "poet/model/safetensors.h"

namespace poet {

// What becomes of values that are infinite or not numbers.
enum class NonFinite { Refused, Taken };

// Looks at every value of a tensor of floats, or at the scales of its blocks, before anything is
// computed with them. Refuses, with file, tensor and place, a value that is infinite or not a
// number where such are not taken, and a scale that is in any case: it is no number of any block.
Failure check_values(const SafeTensor& tensor, NonFinite non_finite);

}  // namespace poet
