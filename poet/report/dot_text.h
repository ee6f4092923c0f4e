#pragma once

#include <string>
#include <string_view>

namespace poet {

// A text in the language of Graphviz: inside double quotes it gives meaning to quotes and
// backslashes, and lines end in "\n".
std::string dot_quoted(std::string_view text);

}  // namespace poet
