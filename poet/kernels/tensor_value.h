#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "poet/graph/tensor_type.h"

namespace poet {

// A tensor with its values: dense, row-major, in the byte order of this machine.
struct TensorValue {
  TensorType type = {};
  std::vector<std::byte> bytes = {};  // size_bytes(type)

  bool operator==(const TensorValue&) const = default;
};

// The same without owning the values.
struct TensorView {
  TensorType type = {};
  std::span<const std::byte> bytes = {};
};

inline TensorView view_of(const TensorValue& value) {
  return {value.type, value.bytes};
}

// As many values as the shape has.
TensorValue float_tensor(const Shape& shape, const std::vector<float>& values);
TensorValue int64_tensor(const Shape& shape, const std::vector<std::int64_t>& values);

// Of a Float32 tensor.
std::vector<float> floats_of(const TensorValue& value);

}  // namespace poet
