#pragma once

#include <string_view>

namespace poet {

// The page's own style sheet and script: constants, with nothing from outside.
std::string_view page_style();
std::string_view page_script();

// What the words on the page mean, for readers who see them for the first time: an HTML list.
std::string_view page_glossary();

}  // namespace poet
