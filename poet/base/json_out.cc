#include "poet/base/json_out.h"

#include <algorithm>
#include <cstddef>

namespace poet {
namespace {

constexpr std::size_t kRowWidth =
    180;  // a row of a table stays on one line, with a dozen fields or so
constexpr std::size_t kNumbersWidth = 100;

std::string scalar_text(const JsonOut& value) {
  return value.dump(-1, ' ', false, JsonOut::error_handler_t::replace);
}

std::string key_text(const std::string& key) {
  return scalar_text(JsonOut(key)) + ": ";
}

void write_value(const JsonOut& value, std::size_t indent, std::size_t used, std::string& out);

// Numbers fill the lines.
void write_numbers(const JsonOut& list, std::size_t indent, std::string& out) {
  const std::string line_start = "\n" + std::string(indent, ' ');
  std::size_t used = kNumbersWidth;
  for (const JsonOut& item : list) {
    const std::string text = scalar_text(item) + (&item == &list.back() ? "" : ",");
    if (used + text.size() + 1 > kNumbersWidth) {
      out += line_start;
      used = indent;
    } else {
      out += ' ';
    }
    out += text;
    used += text.size() + 1;
  }
}

void write_items(const JsonOut& value, std::size_t indent, std::string& out) {
  std::size_t left = value.size();
  for (const auto& item : value.items()) {
    const std::string key = value.is_object() ? key_text(item.key()) : "";
    out += "\n" + std::string(indent, ' ') + key;
    write_value(item.value(), indent, indent + key.size() + 1, out);
    if (--left > 0) out += ',';
  }
}

void write_value(const JsonOut& value, std::size_t indent, std::size_t used, std::string& out) {
  const std::string line = json_line(value);
  if (!value.is_structured() || value.empty() || (used > 0 && used + line.size() <= kRowWidth)) {
    out += line;
    return;
  }
  out += value.is_object() ? '{' : '[';
  const bool numbers =
      value.is_array() &&
      std::all_of(value.begin(), value.end(), [](const JsonOut& v) { return v.is_number(); });
  if (numbers) {
    write_numbers(value, indent + 2, out);
  } else {
    write_items(value, indent + 2, out);
  }
  out += "\n" + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

}  // namespace

std::string json_line(const JsonOut& value) {
  if (!value.is_structured()) return scalar_text(value);
  std::string text;
  for (const auto& item : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += key_text(item.key());
    text += json_line(item.value());
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string json_text(const JsonOut& value) {
  std::string out;
  write_value(value, 0, 0, out);
  return out + "\n";
}

}  // namespace poet
