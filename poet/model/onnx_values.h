#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/onnx_file.h"

namespace poet {

// The tensor with values of the type that they are taken as (OnnxElement::taken_as): float16 and
// bfloat16 exactly, float64 rounded to the nearest float32. Refuses float64 values that are finite
// and beyond float32. Others stay as they are.
Result<OnnxTensor> in_type_of_ours(const OnnxTensor& tensor);

// Float32 values as the file's type has them, "float16", "bfloat16" or "float64", rounded to the
// nearest, halves to even.
std::vector<std::byte> in_type_of_file(std::string_view type, std::span<const std::byte> values);

}  // namespace poet
