#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/tensor_type.h"

namespace poet {

// Bytes that are there already: read from a file, or a mapped part of one. Copies share them.
struct StoredBytes {
  std::shared_ptr<const void> owner = {};  // keeps `bytes` alive
  std::span<const std::byte> bytes = {};
};

// Every value the same; rounded to the element type.
struct FilledWith {
  double value = 0;

  bool operator==(const FilledWith&) const = default;
};

// Float32 values drawn evenly from [-bound, bound).
struct UniformDraw {
  float bound = 0;
  std::uint64_t seed = 0;

  bool operator==(const UniformDraw&) const = default;
};

// Float32 values drawn from the normal distribution around 0.
struct NormalDraw {
  float deviation = 0;
  std::uint64_t seed = 0;

  bool operator==(const NormalDraw&) const = default;
};

// A function that writes any bytes of the values: `into` is filled from the byte `offset_bytes` on.
struct WrittenBy {
  std::function<void(std::int64_t offset_bytes, std::span<std::byte> into)> write = {};
};

// The values of a tensor before the first step: bytes, or the rule that makes them, so that a
// network can be planned without making its weights.
using Initial = std::variant<FilledWith, UniformDraw, NormalDraw, StoredBytes, WrittenBy>;

StoredBytes store(std::vector<std::byte> bytes);

// The values, row-major, in the byte order of the machine: size_bytes(type) of them. The same on
// every machine. StoredBytes must be as many as the type wants; draws are Float32 only.
std::vector<std::byte> initial_bytes(const Initial& initial, const TensorType& type);

// The same piece by piece, so that no large tensor is ever whole in memory: fills `into` with the
// values from the byte `offset_bytes` on, a multiple of this.
inline constexpr std::size_t kInitialStepBytes = 16;
void write_initial(const Initial& initial, const TensorType& type, std::int64_t offset_bytes,
                   std::span<std::byte> into);

using PieceSink =
    std::function<Failure(std::int64_t offset_bytes, std::span<const std::byte> values)>;

// Gives `take` the initial values of a tensor piece by piece, in order, each as large as `buffer`
// but for the last, and stops at its first failure. They are made in the buffer, whose size is a
// multiple of kInitialStepBytes unless it holds all of them.
Failure for_each_piece(const Initial& initial, const TensorType& type, std::span<std::byte> buffer,
                       const PieceSink& take);

}  // namespace poet
