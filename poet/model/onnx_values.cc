#include "poet/model/onnx_values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/model/narrow_floats.h"

namespace poet {
namespace {

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
