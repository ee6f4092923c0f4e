#pragma once

#include <string>
#include <vector>

#include "poet/ask/plan_request.h"
#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/problem/problem.h"
#include "poet/report/memory_chart.h"
#include "poet/report/report_input.h"

namespace poet {

// RAM of the plain schedule during each operation of a step, by what it is for. The most of it is
// the plain peak. `problem` is of the step, tensor by tensor.
std::vector<MemoryMoment> plain_memory(const TrainingGraph& step, const Problem& problem);

// The network, in the language of Graphviz, among the pictures; and its picture.
constexpr const char* kModelDotFile = "model.dot";
constexpr const char* kModelPicture = "model.svg";

// Every name that a picture of a network can have.
std::vector<std::string> inspect_plot_names();

// Pictures of the request's real network, on its device (m4 unless it names one): its layers
// (Graphviz), RAM over its step when everything is kept, and what its operations take (SVG), as
// files of one folder. Refuses what inspect_training() refuses, and released graphs.
Result<std::vector<ReportFile>> inspect_plots(const PlanRequest& request);

}  // namespace poet
