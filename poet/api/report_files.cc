#include "poet/api/report_files.h"

#include "poet/api/training_step.h"
#include "poet/layout/layout.h"
#include "poet/report/graphviz.h"
#include "poet/report/html_report.h"

namespace poet {
namespace {

// A picture need not be of the lowest packing there is.
constexpr std::int64_t kNodesForPicture = 20'000;

// Nothing without a valid plan.
std::optional<ArenaPicture> arena_of(const PlanReport& report) {
  if (!report.plan) return std::nullopt;
  const Result<Layout> layout =
      make_layout(*report.plan, {.alignment_bytes = report.request.alignment_bytes,
                                 .capacity_bytes = report.problem.ram_budget_bytes,
                                 .max_nodes = kNodesForPicture});
  if (!layout.ok()) return std::nullopt;
  return arena_picture(*report.plan, *layout);
}

ReportInput report_input(const PlanReport& report) {
  const PlanRequest& request = report.request;
  return {.origin = {request.model, request.platform, graph_of(request), request.command},
          .problem = report.problem,
          .schedule = report.solve.best,
          .solve = report.solve,
          .replay = report.replay,
          .unavoidable_j = report.unavoidable_j,
          .solve_s = report.timing.solve_s,
          .warnings = report.warnings,
          .arena = arena_of(report)};
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
