#include "poet/model/block_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "poet/base/check.h"
#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

constexpr std::uint16_t kExponentBits = 0x7C00;

std::uint16_t scale_bits(std::span<const std::byte> block) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(block[0]) |
                                    std::to_integer<unsigned>(block[1]) << 8U);
}

bool is_finite(std::uint16_t half) {
  return (half & kExponentBits) != kExponentBits;
}

// Numbers from `least` to `most`, of this scale.
struct Steps {
  std::uint16_t half = 0;
  int least = 0;
  int most = 0;
  double scale = from_float16(half);

  int number(float value) const {
    if (scale == 0) return 0;
    const double steps = std::nearbyint(static_cast<double>(value) / scale);
    return static_cast<int>(std::clamp<double>(steps, least, most));
  }

  double squared_error(std::span<const float> values) const {
    double sum = 0;
    for (const float value : values) {
      const double error = value - number(value) * scale;
      sum += error * error;
    }
    return sum;
  }
};

std::uint16_t half_of(double scale) {
  return to_float16(static_cast<float>(scale));
}

Steps best_steps(const WeightBlocks& blocks, std::span<const float> values) {
  float extreme = 0;
  for (const float value : values)
    if (std::abs(value) > std::abs(extreme)) extreme = value;
  const double largest = std::abs(static_cast<double>(extreme));
  if (blocks.bits == 8) return {half_of(largest / 127), -127, 127};
  const Steps lopsided{half_of(static_cast<double>(extreme) / -8), -8, 7};
  const Steps even{half_of(largest / 7), -7, 7};
  if (!is_finite(even.half)) return even;
  return even.squared_error(values) < lopsided.squared_error(values) ? even : lopsided;
}

void put_number(const WeightBlocks& blocks, std::int64_t place, int number,
                std::span<std::byte> numbers) {
  if (blocks.bits == 8) {
    numbers[static_cast<std::size_t>(place)] = static_cast<std::byte>(number);
    return;
  }
  const std::int64_t half = blocks.values / 2;
  const auto four_bits = static_cast<std::byte>(number + 8);
  numbers[static_cast<std::size_t>(place % half)] |= place < half ? four_bits : four_bits << 4U;
}

int number_at(const WeightBlocks& blocks, std::int64_t place, std::span<const std::byte> numbers) {
  if (blocks.bits == 8)
    return static_cast<std::int8_t>(
        std::to_integer<std::uint8_t>(numbers[static_cast<std::size_t>(place)]));
  const std::int64_t half = blocks.values / 2;
  const auto pair = std::to_integer<int>(numbers[static_cast<std::size_t>(place % half)]);
  return (place < half ? pair & 15 : pair >> 4) - 8;
}

}  // namespace

bool encode_block(const WeightBlocks& blocks, std::span<const float> values,
                  std::span<std::byte> into) {
  POET_CHECK(std::ssize(into) == block_bytes(blocks) && std::ssize(values) <= blocks.values);
  if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
    return false;
  const Steps steps = best_steps(blocks, values);
  if (!is_finite(steps.half)) return false;
  std::fill(into.begin(), into.end(), std::byte{});
  into[0] = static_cast<std::byte>(steps.half & 0xFFU);
  into[1] = static_cast<std::byte>(steps.half >> 8U);
  // What a short block lacks is zeros.
  for (std::int64_t k = 0; k < blocks.values; ++k)
    put_number(blocks, k,
               k < std::ssize(values) ? steps.number(values[static_cast<std::size_t>(k)]) : 0,
               into.subspan(kScaleBytes));
  return true;
}

float decoded_value(const WeightBlocks& blocks, std::int64_t row_values,
                    std::span<const std::byte> bytes, std::int64_t element) {
  const std::int64_t column = element % row_values;
  const std::int64_t number =
      element / row_values * blocks_in_row(blocks, row_values) + column / blocks.values;
  const auto block = bytes.subspan(static_cast<std::size_t>(number * block_bytes(blocks)),
                                   static_cast<std::size_t>(block_bytes(blocks)));
  return from_float16(scale_bits(block)) *
         static_cast<float>(number_at(blocks, column % blocks.values, block.subspan(kScaleBytes)));
}

std::optional<std::int64_t> block_without_scale(const WeightBlocks& blocks,
                                                std::span<const std::byte> bytes) {
  const auto step = static_cast<std::size_t>(block_bytes(blocks));
  for (std::size_t place = 0; place < bytes.size(); place += step)
    if (!is_finite(scale_bits(bytes.subspan(place, kScaleBytes))))
      return static_cast<std::int64_t>(place / step);
  return std::nullopt;
}

}  // namespace poet
