#include "poet/model/onnx_values.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "poet/base/message_text.h"

namespace poet {
namespace {

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// 1 bit of sign, 5 of exponent, 10 of mantissa.
float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0) {
    const float size = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -size : size;
  }
  const std::uint32_t biased = exponent == 0x1F ? 0xFFU : exponent + (127 - 15);
  return std::bit_cast<float>(sign | biased << 23 | mantissa << 13);
}

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

std::uint16_t to_float16(float value) {
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000U;
  const float size = std::abs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  // Below 2^-14 values lie 2^-24 apart; nearbyint() rounds halves to even.
  if (size < 0x1p-14F)
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 24))));
  const auto bits = std::bit_cast<std::uint32_t>(size);
  const std::uint32_t rounded = bits + 0xFFFU + ((bits >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - ((127U - 15U) << 10)));
}

template <typename To, typename From, typename Convert>
std::vector<std::byte> converted(std::span<const std::byte> bytes, Convert convert) {
  std::vector<std::byte> result(bytes.size() / sizeof(From) * sizeof(To));
  for (std::size_t i = 0; i < bytes.size() / sizeof(From); ++i) {
    From value{};
    std::memcpy(&value, &bytes[i * sizeof value], sizeof value);
    const To other = convert(value);
    std::memcpy(&result[i * sizeof other], &other, sizeof other);
  }
  return result;
}

}  // namespace

Result<OnnxTensor> in_type_of_ours(const OnnxTensor& tensor) {
  if (tensor.element.known || !tensor.element.taken_as) return tensor;
  OnnxTensor result{
      .name = tensor.name, .element = {ElementType::Float32, "float32"}, .shape = tensor.shape};
  const std::span<const std::byte> bytes = tensor.values.bytes;
  if (tensor.element.name == "float16") {
    result.values = store(converted<float, std::uint16_t>(bytes, from_float16));
  } else if (tensor.element.name == "bfloat16") {
    result.values = store(converted<float, std::uint16_t>(bytes, from_bfloat16));
  } else {
    double too_large = 0;
    result.values = store(converted<float, double>(bytes, [&too_large](double value) {
      const auto rounded = static_cast<float>(value);
      if (std::isinf(rounded) && !std::isinf(value)) too_large = value;
      return rounded;
    }));
    if (too_large != 0)
      return bad_input(
          fmt::format("{} holds {}, which is beyond float32, the type that POET "
                      "calculates with",
                      in_quotes(tensor.name), too_large));
  }
  return result;
}

std::vector<std::byte> in_type_of_file(std::string_view type, std::span<const std::byte> values) {
  if (type == "float16") return converted<std::uint16_t, float>(values, to_float16);
  if (type == "bfloat16") return converted<std::uint16_t, float>(values, to_bfloat16);
  return converted<double, float>(values, [](float value) { return double{value}; });
}

}  // namespace poet
