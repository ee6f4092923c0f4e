#pragma once

#include <string_view>

namespace poet {

// The parts of a page about a sweep that are always the same.
std::string_view sweep_page_style();  // beside page_style()
std::string_view sweep_page_script();
std::string_view sweep_page_glossary();  // an HTML list

}  // namespace poet
