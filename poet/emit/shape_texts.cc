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

}  // namespace

std::string ShapeTexts::name_of(const KernelCall& call) {
  std::string fields;
  for (const KernelWord& word : call.shape)
    fields += fmt::format("{}.{} = {}", fields.empty() ? "" : ", ", word.field, literal(word));
  return name_of(declaration_of(call.function).shape_type, fields);
}

std::string ShapeTexts::name_of(std::string_view type, std::string_view fields) {
  const std::string value = fmt::format("{} {}", type, fields);
  const auto [place, is_new] = names_.emplace(value, fmt::format("shape_{}", names_.size()));
  if (is_new) text_ += fmt::format("static const {} {} = {{{}}};\n", type, place->second, fields);
  return place->second;
}

}  // namespace poet
