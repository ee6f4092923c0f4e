#include "poet/report/dot_text.h"

namespace poet {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (letter == '\n')
      out += "\\n";
    else
      out += letter;
  }
  return out + "\"";
}

}  // namespace poet
