#pragma once

#include <string_view>

namespace poet {

// Whether a text is UTF-8, as JSON takes it: of any other, json_out.h writes something else.
bool is_utf8(std::string_view text);

}  // namespace poet
