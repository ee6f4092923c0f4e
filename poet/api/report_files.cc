#include "poet/api/report_files.h"

#include "poet/api/training_step.h"
#include "poet/report/graphviz.h"
#include "poet/report/html_report.h"

namespace poet {
namespace {

ReportInput report_input(const PlanReport& report) {
  const PlanRequest& request = report.request;
  return {.origin = {request.model, request.platform, graph_of(request), request.command},
          .problem = report.problem,
          .schedule = report.solve.best,
          .solve = report.solve,
          .replay = report.replay,
          .unavoidable_j = report.unavoidable_j,
          .solve_s = report.timing.solve_s,
          .warnings = report.warnings};
}

}  // namespace

std::string report_page(const PlanReport& report) {
  return html_report(report_input(report));
}

std::vector<std::string> plot_file_names() {
  std::vector<std::string> names = chart_file_names();
  names.insert(names.begin(), {kGraphFile, kGraphPicture});
  return names;
}

std::vector<ReportFile> plot_files(const PlanReport& report) {
  std::vector<ReportFile> files = svg_charts(report_input(report));
  files.insert(files.begin(),
               ReportFile{kGraphFile, graphviz_dot(report.problem, report.solve.best)});
  return files;
}

}  // namespace poet
