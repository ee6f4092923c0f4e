#pragma once

#include <string>
#include <vector>

#include "poet/api/plan_request.h"
#include "poet/report/report_input.h"

namespace poet {

// The page about an answer.
std::string report_page(const PlanReport& report);

// The graph in the language of Graphviz, among the plot files.
constexpr const char* kGraphFile = "graph.dot";

// The graph (Graphviz) and each chart (SVG), as files of one folder.
std::vector<ReportFile> plot_files(const PlanReport& report);

}  // namespace poet
