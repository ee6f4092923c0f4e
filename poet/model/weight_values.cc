#include "poet/model/weight_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "poet/model/block_values.h"
#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

template <typename Bits>
Bits bits_at(std::span<const std::byte> bytes, std::size_t place) {
  Bits bits{};
  std::memcpy(&bits, &bytes[place * sizeof bits], sizeof bits);
  return bits;
}

// The first value whose exponent has all its bits: infinite, or not a number. Piece by piece: a
// loop that only gathers takes several values at a time, and one that may end anywhere does not.
template <typename Bits>
std::optional<std::size_t> first_not_finite(std::span<const std::byte> bytes, Bits exponent) {
  constexpr std::size_t kPiece = 4096;
  const std::size_t values = bytes.size() / sizeof(Bits);
  for (std::size_t begin = 0; begin < values; begin += kPiece) {
    const std::size_t end = std::min(values, begin + kPiece);
    bool is_there = false;
    for (std::size_t i = begin; i < end; ++i)
      is_there |= (bits_at<Bits>(bytes, i) & exponent) == exponent;
    for (std::size_t i = begin; is_there && i < end; ++i)
      if ((bits_at<Bits>(bytes, i) & exponent) == exponent) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> first_not_finite(const SafeTensor& tensor) {
  const std::span<const std::byte> bytes = tensor.values.bytes;
  switch (tensor.type) {
    case SafeType::Float32:
      return first_not_finite<std::uint32_t>(bytes, 0x7F800000U);
    case SafeType::Float16:
      return first_not_finite<std::uint16_t>(bytes, 0x7C00U);
    case SafeType::BFloat16:
      return first_not_finite<std::uint16_t>(bytes, 0x7F80U);
    case SafeType::Float64:
      return first_not_finite<std::uint64_t>(bytes, 0x7FF0000000000000U);
    default:
      return std::nullopt;
  }
}

double value_at(const SafeTensor& tensor, std::size_t place) {
  const std::span<const std::byte> bytes = tensor.values.bytes;
  switch (tensor.type) {
    case SafeType::Float16:
      return from_float16(bits_at<std::uint16_t>(bytes, place));
    case SafeType::BFloat16:
      return from_bfloat16(bits_at<std::uint16_t>(bytes, place));
    case SafeType::Float64:
      return bits_at<double>(bytes, place);
    default:
      return bits_at<float>(bytes, place);
  }
}

// Of a value of this number: an index along each dimension.
Shape place_of(std::size_t value, const Shape& shape) {
  Shape place(shape.size());
  auto rest = static_cast<std::int64_t>(value);
  for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i]) place[i] = rest % shape[i];
  return place;
}

std::optional<std::int64_t> block_without_scale(const SafeTensor& tensor) {
  if (tensor.blocks) return block_without_scale(*tensor.blocks, tensor.values.bytes);
  return tensor.block_without_scale ? tensor.block_without_scale() : std::nullopt;
}

}  // namespace

Failure check_values(const SafeTensor& tensor, NonFinite non_finite) {
  const std::string name = weight_in_quotes(tensor.name);
  if (const auto block = block_without_scale(tensor))
    return wrong_tensor(
        tensor, fmt::format("the scale of block {} of {} is not a finite number", *block, name));
  if (tensor.blocks || tensor.made || non_finite == NonFinite::Taken) return std::nullopt;
  const std::optional<std::size_t> place = first_not_finite(tensor);
  if (!place) return std::nullopt;
  const double value = value_at(tensor, *place);
  // The sign of what is no number says nothing.
  return wrong_tensor(
      tensor, fmt::format("{} holds {} at {}, which is not a finite number: --allow-non-finite "
                          "goes on with it",
                          name, std::isnan(value) ? std::fabs(value) : value,
                          to_text(place_of(*place, tensor.shape))));
}

}  // namespace poet
