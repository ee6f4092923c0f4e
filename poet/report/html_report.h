#pragma once

#include <string>
#include <vector>

#include "poet/report/report_input.h"

namespace poet {

// One self-contained page about one answer, also when the answer is no: nothing is fetched from
// anywhere. The same input gives the same bytes.
std::string html_report(const ReportInput& input);

// Each chart of the page as an SVG file of its own, in the wide form.
std::vector<ReportFile> svg_charts(const ReportInput& input);

// Every name that one of them can have.
std::vector<std::string> chart_file_names();

}  // namespace poet
