#include "poet/base/message_text.h"

#include <algorithm>
#include <cstddef>

namespace poet {
namespace {

// The bytes of the character here that a terminal obeys instead of showing it, in UTF-8: a control
// character, or one that turns the direction of what follows. 0 if it is none.
std::size_t obeyed_bytes(std::string_view text) {
  const auto code = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (code(0) < ' ' || code(0) == 0x7F) return 1;
  if (text.size() >= 2 && code(0) == 0xC2 && code(1) >= 0x80 && code(1) <= 0x9F) return 2;
  if (text.size() < 3 || code(0) != 0xE2) return 0;
  const int last = code(1) << 8 | code(2);
  const bool turns = last == 0x808E || last == 0x808F || (last >= 0x80AA && last <= 0x80AE) ||
                     (last >= 0x81A6 && last <= 0x81A9);
  return turns ? 3 : 0;
}

std::string shown(std::string_view text, std::size_t longest_bytes) {
  std::size_t end = std::min(text.size(), longest_bytes);
  const bool cut = end < text.size();
  // Not through the middle of a UTF-8 character.
  while (cut && end > 0 && (text[end] & 0xC0) == 0x80) --end;
  std::string shown;
  for (std::string_view rest = text.substr(0, end); !rest.empty();) {
    const std::size_t obeyed = obeyed_bytes(rest);
    shown += obeyed > 0 ? '?' : rest.front();
    rest.remove_prefix(std::max<std::size_t>(obeyed, 1));
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

std::string counted(std::int64_t count, const std::string& singular) {
  return grouped_digits(count) + " " + singular + (count == 1 ? "" : "s");
}

std::string bytes_text(std::int64_t bytes) {
  return counted(bytes, "byte");
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
