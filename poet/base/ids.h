#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace poet {

// Positions in the lists of a graph or problem. An operation's id is also its place in the order.
enum class OperationId : std::int32_t {};
enum class TensorId : std::int32_t {};

// Where a buffer lies: in the RAM of the budget, which every problem has, or in a further memory.
enum class MemoryId : std::int32_t {};
inline constexpr MemoryId kFastRam{0};

constexpr std::int32_t index_of(MemoryId id) {
  return static_cast<std::int32_t>(id);
}
constexpr std::int32_t index_of(OperationId id) {
  return static_cast<std::int32_t>(id);
}
constexpr std::int32_t index_of(TensorId id) {
  return static_cast<std::int32_t>(id);
}

template <typename T>
const T& at(const std::vector<T>& list, OperationId id) {
  return list[static_cast<std::size_t>(id)];
}
template <typename T>
T& at(std::vector<T>& list, OperationId id) {
  return list[static_cast<std::size_t>(id)];
}
template <typename T>
const T& at(const std::vector<T>& list, MemoryId id) {
  return list[static_cast<std::size_t>(id)];
}
template <typename T>
T& at(std::vector<T>& list, MemoryId id) {
  return list[static_cast<std::size_t>(id)];
}
template <typename T>
const T& at(const std::vector<T>& list, TensorId id) {
  return list[static_cast<std::size_t>(id)];
}
template <typename T>
T& at(std::vector<T>& list, TensorId id) {
  return list[static_cast<std::size_t>(id)];
}

}  // namespace poet
