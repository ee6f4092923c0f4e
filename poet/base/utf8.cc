#include "poet/base/utf8.h"

#include "poet/base/json_out.h"

namespace poet {

bool is_utf8(std::string_view text) {
  try {
    return !JsonOut(text).dump().empty();
  } catch (const JsonOut::type_error&) {
    return false;
  }
}

}  // namespace poet
