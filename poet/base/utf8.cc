#include "poet/base/utf8.h"

#include "poet/base/json_out.h"

namespace poet {

bool is_utf8(std::string_view text) {
  return json_of_text(json_line(JsonOut(text))).text() == text;
}

}  // namespace poet
