#include "poet/model/known_array.h"

#include <cstring>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

template <typename Kept, typename Stored>
std::vector<Kept> widened(const std::vector<std::byte>& bytes) {
  std::vector<Kept> values;
  values.reserve(bytes.size() / sizeof(Stored));
  for (std::size_t place = 0; place < bytes.size(); place += sizeof(Stored)) {
    Stored value{};
    std::memcpy(&value, &bytes[place], sizeof value);
    values.push_back(static_cast<Kept>(value));
  }
  return values;
}

template <typename Stored, typename Kept>
std::vector<std::byte> narrowed(const std::vector<Kept>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<Stored>(values[i]);
    std::memcpy(&bytes[i * sizeof value], &value, sizeof value);
  }
  return bytes;
}

std::vector<std::byte> bytes_of(const KnownArray& array) {
  switch (array.type.element) {
    case ElementType::Float32:
      return narrowed<float>(array.floats());
    case ElementType::Int64:
      return narrowed<std::int64_t>(array.wholes());
    case ElementType::Int32:
      return narrowed<std::int32_t>(array.wholes());
    case ElementType::Uint8:
    case ElementType::Bool:
      return narrowed<std::uint8_t>(array.wholes());
  }
  return {};
}

}  // namespace

KnownArray array_of(const Constant& constant) {
  POET_CHECK(value_count(constant.type.shape) <= kLargestKnownArray);
  const std::vector<std::byte> bytes = initial_bytes(constant.values, constant.type);
  switch (constant.type.element) {
    case ElementType::Float32:
      return {constant.type, widened<float, float>(bytes)};
    case ElementType::Int64:
      return {constant.type, widened<std::int64_t, std::int64_t>(bytes)};
    case ElementType::Int32:
      return {constant.type, widened<std::int64_t, std::int32_t>(bytes)};
    case ElementType::Uint8:
    case ElementType::Bool:
      return {constant.type, widened<std::int64_t, std::uint8_t>(bytes)};
  }
  return {};
}

Constant constant_of(const KnownArray& array) {
  return {array.type, store(bytes_of(array))};
}

KnownArray whole_array(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return {{ElementType::Int64, {count}}, std::move(values)};
}

KnownArray whole_scalar(std::int64_t value) {
  return {{ElementType::Int64, {}}, std::vector<std::int64_t>{value}};
}

std::optional<double> single_value(const Constant& constant) {
  if (value_count(constant.type.shape) != 1) return std::nullopt;
  const KnownArray array = array_of(constant);
  return array.is_float() ? double{array.floats()[0]} : static_cast<double>(array.wholes()[0]);
}

}  // namespace poet
