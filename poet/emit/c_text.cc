#include "poet/emit/c_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "poet/base/check.h"

namespace poet {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace

std::string c_float(float value) {
  POET_CHECK(!std::isnan(value));
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  return fmt::format("{:a}f", value);
}

std::string c_double(double value) {
  POET_CHECK(std::isfinite(value));
  return fmt::format("{:a}", value);
}

std::string c_comment(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool ends = c == '/' && !result.empty() && result.back() == '*';
    const bool begins = c == '*' && !result.empty() && result.back() == '/';
    const bool plain = c >= ' ' && c <= '~' && c != '\\' && c != '?';
    result += !plain || ends || begins ? '_' : c;
  }
  return result;
}

std::string c_macro_name(std::string_view text) {
  std::string name;
  for (const char c : text) name += is_letter(c) || is_digit(c) ? upper(c) : '_';
  return name;
}

std::string filled_in(std::string_view text, std::initializer_list<TextValue> values) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find('@');
    result += text.substr(0, begin);
    if (begin == text.npos) return result;
    text.remove_prefix(begin + 1);
    const std::string_view name = text.substr(0, text.find('@'));
    const auto* const value =
        std::find_if(values.begin(), values.end(),
                     [name](const TextValue& candidate) { return candidate.name == name; });
    if (value == values.end()) {
      result += '@';
      continue;
    }
    result += value->value;
    text.remove_prefix(name.size() + 1);
  }
}

}  // namespace poet
