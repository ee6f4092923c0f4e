#pragma once

#include <string>
#include <vector>

#include "poet/ask/plan_instance.h"
#include "poet/report/report_input.h"
#include "poet/report/step_trace.h"

namespace poet {

// The page about an answer.
std::string report_page(const PlanReport& report);

// The page about a plan that comes from anywhere, and its pictures: what only a search could tell
// is left out. The schedule must be valid.
std::string plan_page(const Plan& plan);
std::vector<ReportFile> plan_plot_files(const Plan& plan);

// The step as a plan predicts it, for write_trace() (poet/report/trace_file.h). `replay` is of its
// schedule, and valid.
StepTrace plan_trace(const Plan& plan, const Replay& replay);

// The graph in the language of Graphviz, among the plot files.
constexpr const char* kGraphFile = "graph.dot";

// Its picture, where Graphviz is there to draw it.
constexpr const char* kGraphPicture = "graph.svg";

// Every name that a plot file can have: an answer writes some of them.
std::vector<std::string> plot_file_names();

// The graph (Graphviz) and each chart (SVG), as files of one folder.
std::vector<ReportFile> plot_files(const PlanReport& report);

}  // namespace poet
