#pragma once

#include <string_view>

namespace poet {

// The style sheet of all pages and the script of a report: constants, with nothing from outside.
std::string_view page_style();
std::string_view page_script();

// Makes the button of command_section() work, or removes it.
std::string_view copy_script();

// What the words on the page mean, for readers who see them for the first time: an HTML list.
std::string_view page_glossary();

}  // namespace poet
