#pragma once

#include <string>
#include <string_view>

namespace poet {

// Text made safe between tags and inside quoted attributes of HTML and SVG: the five special
// characters as entities; what XML cannot hold (control characters, bytes that are not UTF-8) as
// U+FFFD.
std::string escape_markup(std::string_view text);

// A quoted JSON string that is also safe inside a <script> element.
std::string script_string(std::string_view text);

// A coordinate: at most two decimals.
std::string coordinate(double value);

}  // namespace poet
