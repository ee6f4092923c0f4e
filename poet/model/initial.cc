#include "poet/model/initial.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "poet/base/check.h"
#include "poet/runtime/counter_random.h"
#include "poet/runtime/float_math.h"

namespace poet {
namespace {

// Values of a tensor from the byte `offset_bytes` on.
struct Piece {
  std::size_t offset_bytes = 0;
  std::span<std::byte> bytes = {};
};

template <typename T>
void fill(std::span<std::byte> bytes, T value) {
  for (std::size_t place = 0; place < bytes.size(); place += sizeof value)
    std::memcpy(&bytes[place], &value, sizeof value);
}

// Saturates: a double beyond the type's range has no other meaning in C++.
template <typename T>
T whole(double value) {
  constexpr double kLeast = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double kLargest = static_cast<double>(std::numeric_limits<T>::max());
  if (value != value) return 0;
  if (value <= kLeast) return std::numeric_limits<T>::min();
  if (value >= kLargest) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

void fill_with(std::span<std::byte> bytes, ElementType element, double value) {
  switch (element) {
    case ElementType::Float32:
      return fill(bytes, static_cast<float>(value));
    case ElementType::Int64:
      return fill(bytes, whole<std::int64_t>(value));
    case ElementType::Int32:
      return fill(bytes, whole<std::int32_t>(value));
    case ElementType::Uint8:
      return fill(bytes, whole<std::uint8_t>(value));
    case ElementType::Bool:
      return fill(bytes, static_cast<std::uint8_t>(value != 0));
  }
}

poet_philox_block block_of(std::uint64_t number, std::uint64_t seed) {
  const poet_philox_block counter = {
      {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32U), 0, 0}};
  const poet_philox_key key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}};
  return poet_philox_4x32(counter, key);
}

// [0, 1), in steps of 2^-24, all of which a float can hold.
float unit(std::uint32_t word) {
  return static_cast<float>(word >> 8U) * 0x1p-24F;
}

// Four values from each block of four words.
template <typename Draw>
void draw(const Piece& piece, std::uint64_t seed, Draw values_of) {
  const std::size_t count = piece.bytes.size() / sizeof(float);
  const std::size_t first_block = piece.offset_bytes / kInitialStepBytes;
  for (std::size_t first = 0; first < count; first += 4) {
    float values[4] = {};
    values_of(block_of(first_block + first / 4, seed), values);
    std::memcpy(&piece.bytes[first * sizeof(float)], values,
                std::min<std::size_t>(4, count - first) * sizeof(float));
  }
}

void draw_uniform(const Piece& piece, const UniformDraw& rule) {
  draw(piece, rule.seed, [&rule](const poet_philox_block& block, float(&values)[4]) {
    for (int i = 0; i < 4; ++i) values[i] = rule.bound * (2 * unit(block.word[i]) - 1);
  });
}

// Box and Muller, "A note on the generation of random normal deviates" (1958): two from two.
void draw_normal(const Piece& piece, const NormalDraw& rule) {
  constexpr float kTwoPi = 6.28318530717958647692F;
  draw(piece, rule.seed, [&rule](const poet_philox_block& block, float(&values)[4]) {
    for (int i = 0; i < 4; i += 2) {
      // (0, 1], so that the logarithm is finite; roots are rounded alike by every processor
      const float radius = std::sqrt(-2 * poet_log_f32(1 - unit(block.word[i])));
      const float angle = kTwoPi * unit(block.word[i + 1]);
      values[i] = rule.deviation * (radius * poet_cos_f32(angle));
      values[i + 1] = rule.deviation * (radius * poet_sin_f32(angle));
    }
  });
}

}  // namespace

StoredBytes store(std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {owner, *owner};
}

void write_initial(const Initial& initial, const TensorType& type, std::int64_t offset_bytes,
                   std::span<std::byte> into) {
  const auto end_bytes = offset_bytes + static_cast<std::int64_t>(into.size());
  POET_CHECK(offset_bytes >= 0 && end_bytes <= size_bytes(type));
  const Piece piece{static_cast<std::size_t>(offset_bytes), into};
  if (into.empty()) return;
  if (const auto* const stored = std::get_if<StoredBytes>(&initial)) {
    POET_CHECK(static_cast<std::int64_t>(stored->bytes.size()) == size_bytes(type));
    std::memcpy(into.data(), stored->bytes.data() + offset_bytes, into.size());
    return;
  }
  if (const auto* const written = std::get_if<WrittenBy>(&initial))
    return written->write(offset_bytes, into);
  POET_CHECK(piece.offset_bytes % kInitialStepBytes == 0);
  if (const auto* const filled = std::get_if<FilledWith>(&initial))
    return fill_with(into, type.element, filled->value);
  POET_CHECK(type.element == ElementType::Float32);
  if (const auto* const uniform = std::get_if<UniformDraw>(&initial)) draw_uniform(piece, *uniform);
  if (const auto* const normal = std::get_if<NormalDraw>(&initial)) draw_normal(piece, *normal);
}

std::vector<std::byte> initial_bytes(const Initial& initial, const TensorType& type) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes(type)));
  write_initial(initial, type, 0, bytes);
  return bytes;
}

Failure for_each_piece(const Initial& initial, const TensorType& type, std::span<std::byte> buffer,
                       const PieceSink& take) {
  const std::int64_t total_bytes = size_bytes(type);
  const auto piece_bytes = static_cast<std::int64_t>(buffer.size());
  for (std::int64_t offset = 0; offset < total_bytes; offset += piece_bytes) {
    const std::int64_t count_bytes = std::min(piece_bytes, total_bytes - offset);
    const std::span<std::byte> values = buffer.first(static_cast<std::size_t>(count_bytes));
    write_initial(initial, type, offset, values);
    if (Failure failure = take(offset, values)) return failure;
  }
  return std::nullopt;
}

}  // namespace poet
