#include "poet/emit/shape_texts.h"

#include <fmt/format.h>

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

}  // namespace poet
