#include "poet/emit/constant_texts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <span>

#include "poet/emit/c_text.h"
#include "poet/emit/runtime_files.h"

namespace poet {
namespace {

std::string literal(const KernelWord& word) {
  if (const auto* const whole = std::get_if<std::int32_t>(&word.value))
    return fmt::format("{}", *whole);
  if (const auto* const bits = std::get_if<std::uint32_t>(&word.value))
    return fmt::format("{}u", *bits);
  return c_float(std::get<float>(word.value));
}

// ".stride = {1, 2}, .groups = 1": the words "stride[0]" and "stride[1]" are one field.
std::string fields_of(const KernelCall& call) {
  std::string text;
  bool in_array = false;
  for (const KernelWord& word : call.shape) {
    const std::size_t bracket = word.field.find('[');
    const bool goes_on = bracket != word.field.npos && word.field.substr(bracket) != "[0]";
    if (in_array && !goes_on) text += "}";
    if (!text.empty()) text += ", ";
    if (!goes_on) text += "." + word.field.substr(0, bracket) + " = ";
    in_array = bracket != word.field.npos;
    if (in_array && !goes_on) text += "{";
    text += literal(word);
  }
  return in_array ? text + "}" : text;
}

// Broken at commas, so that no line is longer than people like.
std::string wrapped(std::string_view fields) {
  constexpr std::size_t kLongest = 96;
  std::string text = "    ";
  std::size_t line = text.size();
  while (!fields.empty()) {
    const std::size_t comma = fields.find(", ");
    const std::string_view piece = fields.substr(0, comma);
    if (line + piece.size() > kLongest) {
      text.back() = '\n';
      text += "    ";
      line = 4;
    }
    text += piece;
    fields.remove_prefix(piece.size());
    if (fields.empty()) break;
    text += ", ";
    line += piece.size() + 2;
    fields.remove_prefix(2);
  }
  return text;
}

constexpr std::size_t kValuesInALine = 6;

std::string_view type_name(ElementType element) {
  switch (element) {
    case ElementType::Float32:
      return "float";
    case ElementType::Int64:
      return "int64_t";
    case ElementType::Int32:
      return "int32_t";
    case ElementType::Uint8:
    case ElementType::Bool:
      return "uint8_t";
  }
  return "";
}

template <typename T>
T value_at(std::span<const std::byte> bytes, std::size_t i) {
  T value{};
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

// The least one has no literal of its own: its digits are those of a number that is too large.
std::string whole_literal(std::int64_t value) {
  if (value == INT64_MIN) return "INT64_MIN";
  return value > INT32_MAX || value <= INT32_MIN ? fmt::format("INT64_C({})", value)
                                                 : fmt::format("{}", value);
}

// Nothing for a NaN.
std::string literal(ElementType element, std::span<const std::byte> bytes, std::size_t i) {
  switch (element) {
    case ElementType::Float32: {
      const auto value = value_at<float>(bytes, i);
      return std::isnan(value) ? std::string() : c_float(value);
    }
    case ElementType::Int64:
      return whole_literal(value_at<std::int64_t>(bytes, i));
    case ElementType::Int32: {
      const auto value = value_at<std::int32_t>(bytes, i);
      return value == INT32_MIN ? "INT32_MIN" : fmt::format("{}", value);
    }
    case ElementType::Uint8:
    case ElementType::Bool:
      return fmt::format("{}", value_at<std::uint8_t>(bytes, i));
  }
  return {};
}

std::string array_name(std::int64_t number) {
  return fmt::format("poet_rom_{}", number);
}

}  // namespace

std::string ShapeTexts::name_of(const KernelCall& call) {
  return name_of(declaration_of(call.function.name).shape_type, fields_of(call));
}

std::string ShapeTexts::name_of(std::string_view type, std::string_view fields) {
  const std::string value = fmt::format("{} {}", type, fields);
  const auto [place, is_new] = names_.emplace(value, fmt::format("shape_{}", names_.size()));
  if (is_new)
    text_ += fmt::format("static const {} {} = {{\n{}}};\n", type, place->second, wrapped(fields));
  return place->second;
}

std::vector<std::string> RomText::names() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < numbers_.size(); ++k)
    names.push_back(array_name(static_cast<std::int64_t>(k)));
  return names;
}

Result<std::int64_t> RomText::number_of(const GraphTensor& tensor,
                                        const std::map<TensorId, Initial>& initial, TensorId id) {
  const auto [place, is_new] =
      numbers_.emplace(tensor.name, static_cast<std::int64_t>(numbers_.size()));
  if (!is_new) return place->second;
  const std::vector<std::byte> bytes = initial_bytes(initial.at(id), tensor.type);
  const auto count = static_cast<std::size_t>(value_count(tensor.type.shape));
  const std::string declaration = fmt::format("const {} {}[{}]", type_name(tensor.type.element),
                                              array_name(place->second), count);
  declarations_ += fmt::format("extern {};\n", declaration);
  definitions_ += fmt::format("\n/* {} */\n{} = {{", c_comment(tensor.name), declaration);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string value = literal(tensor.type.element, bytes, i);
    if (value.empty())
      return bad_input(fmt::format("value {} of '{}' is not a number, and C has no constant for it",
                                   i, tensor.name));
    definitions_ += i % kValuesInALine == 0 ? "\n  " : " ";
    definitions_ += value + ",";
  }
  definitions_ += "\n};\n";
  bytes_ += static_cast<std::int64_t>(bytes.size());
  return place->second;
}

}  // namespace poet
