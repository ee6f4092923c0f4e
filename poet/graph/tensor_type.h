#pragma once

#include <cstdint>
#include <string>

#include "poet/base/result.h"
#include "poet/graph/element_type.h"
#include "poet/graph/shape.h"

namespace poet {

// What a shape rule knows of a tensor.
struct TensorType {
  ElementType element = ElementType::Float32;
  Shape shape = {};  // every extent positive

  bool operator==(const TensorType&) const = default;
};

// No tensor of a graph has more values or a larger extent: kernels count in 32 bits.
constexpr std::int64_t kMaxValues = 2'147'483'647;

// Nothing when every extent is positive and there are at most kMaxValues values; otherwise what is
// wrong, beginning with `what` ("the output of conv_1").
Failure check_shape(const Shape& shape, const std::string& what);

// Of a type that passes check_shape().
inline std::int64_t size_bytes(const TensorType& type) {
  return value_count(type.shape) * byte_size(type.element);
}

// The tensor that a step comes in by: the eight words of poet_step_words (poet/runtime/step.h).
inline TensorType step_type() {
  return {ElementType::Int32, {8}};
}

// "float32 (8, 3, 32, 32)"; "float32 ()" for a scalar.
std::string to_text(const TensorType& type);
std::string to_text(const Shape& shape);  // "(8, 3, 32, 32)"

}  // namespace poet
