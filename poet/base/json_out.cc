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

// Gives up, with more than `most` bytes and without its end, on what is longer.
void append_line(const JsonOut& value, std::size_t most, std::string& out) {
  if (!value.is_structured()) {
    out += scalar_text(value);
    return;
  }
  out += value.is_object() ? '{' : '[';
  const char* comma = "";
  for (const auto& item : value.items()) {
    out += comma;
    comma = ", ";
    if (value.is_object()) out += key_text(item.key());
    append_line(item.value(), most, out);
    if (out.size() > most) return;
  }
  out += value.is_object() ? '}' : ']';
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
  if (!value.is_structured() || value.empty()) {
    append_line(value, std::string::npos, out);
    return;
  }
  if (used > 0 && used < kRowWidth) {
    std::string line;
    append_line(value, kRowWidth - used, line);
    if (line.size() <= kRowWidth - used) {
      out += line;
      return;
    }
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
  std::string text;
  append_line(value, std::string::npos, text);
  return text;
}

std::string json_text(const JsonOut& value) {
  std::string out;
  write_value(value, 0, 0, out);
  return out + "\n";
}

}  // namespace poet
