#pragma once

#include <string_view>

namespace poet {

// Style sheets, scripts and word lists of pages: the files of poet/report/page/ as they are, with
// nothing from outside. cmake/embed_texts.cmake makes them part of the program.
std::string_view light_css();  // the colours on light paper, and on dark
std::string_view dark_css();
std::string_view chart_css();  // of every picture
std::string_view page_css();   // of every page, beside chart_css()
std::string_view sweep_css();  // of a sweep's, beside page_css()

std::string_view copy_js();  // makes the button of command_section() work, or removes it
std::string_view report_js();
std::string_view sweep_js();

// What the words on the page mean, for readers who see them for the first time: HTML lists.
std::string_view report_words_html();
std::string_view sweep_words_html();

}  // namespace poet
