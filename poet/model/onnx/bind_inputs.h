#pragma once

#include "poet/base/result.h"
#include "poet/graph/tensor_type.h"
#include "poet/model/onnx_import.h"

namespace poet {

// The type of an input, with the extents that the file leaves open taken from the options. Refuses
// element types that POET does not have, and extents that stay open or are said differently.
Result<TensorType> bound_type(const OnnxInput& input, const OnnxImportOptions& options);

// Refuses extents below 1, and names of extents that no input has.
Failure check_options(const OnnxModel& file, const OnnxImportOptions& options);

}  // namespace poet
