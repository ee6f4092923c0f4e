#include "poet/base/message_text.h"

#include <algorithm>
#include <cstddef>

namespace poet {
namespace {

std::string shown(std::string_view text, std::size_t longest_bytes) {
  std::size_t end = std::min(text.size(), longest_bytes);
  const bool cut = end < text.size();
  // Not through the middle of a UTF-8 character.
  while (cut && end > 0 && (text[end] & 0xC0) == 0x80) --end;
  std::string shown;
  for (const char letter : text.substr(0, end)) {
    const unsigned char code = static_cast<unsigned char>(letter);
    shown += code < ' ' || code == 0x7F ? '?' : letter;
  }
  return cut ? shown + "..." : shown;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  if (text.empty()) return "nothing";
  return "'" + shown(text, 40) + "'";
}

std::string one_line(std::string_view text) {
  return shown(text, 200);
}

std::string grouped_digits(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::ptrdiff_t first_digit = number < 0 ? 1 : 0;
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > first_digit; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string bytes_text(std::int64_t bytes) {
  return grouped_digits(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string alternatives(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace poet
