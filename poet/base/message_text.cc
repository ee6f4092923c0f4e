#include "poet/base/message_text.h"

#include <algorithm>
#include <cstddef>

namespace poet {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.empty()) return "nothing";
  std::size_t shown_bytes = std::min(text.size(), kLongest);
  const bool cut = shown_bytes < text.size();
  // Not through the middle of a UTF-8 character.
  while (cut && shown_bytes > 0 && (text[shown_bytes] & 0xC0) == 0x80) --shown_bytes;
  std::string shown = "'";
  for (const char letter : text.substr(0, shown_bytes))
    shown += (letter >= 0 && letter < ' ') || letter == '\x7f' ? '?' : letter;
  return shown + (cut ? "...'" : "'");
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
