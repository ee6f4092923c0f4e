#include "poet/kernels/tensor_value.h"

#include <cstring>

#include "poet/base/check.h"

namespace poet {
namespace {

template <typename T>
TensorValue tensor_of(const TensorType& type, const std::vector<T>& values) {
  TensorValue tensor{.type = type, .bytes = std::vector<std::byte>(values.size() * sizeof(T))};
  POET_CHECK(static_cast<std::int64_t>(tensor.bytes.size()) == size_bytes(type));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

}  // namespace

TensorValue float_tensor(const Shape& shape, const std::vector<float>& values) {
  return tensor_of({ElementType::Float32, shape}, values);
}

TensorValue int64_tensor(const Shape& shape, const std::vector<std::int64_t>& values) {
  return tensor_of({ElementType::Int64, shape}, values);
}

std::vector<float> floats_of(const TensorValue& value) {
  POET_CHECK(value.type.element == ElementType::Float32);
  std::vector<float> values(value.bytes.size() / sizeof(float));
  std::memcpy(values.data(), value.bytes.data(), value.bytes.size());
  return values;
}

}  // namespace poet
