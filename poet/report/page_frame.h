#pragma once

#include <string>
#include <string_view>

#include "poet/report/chart.h"

namespace poet {

// What all pages have in common. A page is one file that fetches nothing.

// From the doctype to </head>, with chart_css() and page_css(). `title` is plain text,
// `more_style` CSS.
std::string page_head(std::string_view title, std::string_view more_style);

// Both widths of one chart; the style sheet shows the one that fits.
std::string both_widths(const Chart& wide, const Chart& narrow);

// The command that made the page, with a button that copies it; empty without one.
std::string command_section(std::string_view command);

}  // namespace poet
