#include "poet/tell/report_files.h"

#include "poet/ask/status_name.h"
#include "poet/layout/layout.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/report/graphviz.h"
#include "poet/report/html_report.h"
#include "poet/tell/step_words.h"

namespace poet {
namespace {

// A picture need not be of the lowest packing there is.
constexpr std::int64_t kNodesForPicture = 20'000;

std::optional<ArenaPicture> arena_of(const Plan& plan, std::int64_t alignment_bytes) {
  const Result<Layout> layout = make_layout(plan, {.alignment_bytes = alignment_bytes,
                                                   .capacity_bytes = plan.problem.ram_budget_bytes,
                                                   .max_nodes = kNodesForPicture});
  if (!layout.ok()) return std::nullopt;
  return arena_picture(plan, *layout);
}

// Nothing without a valid plan.
std::optional<ArenaPicture> arena_of(const PlanReport& report) {
  if (!report.plan) return std::nullopt;
  return arena_of(*report.plan, report.question.alignment_bytes);
}

std::optional<CutPicture> cuts_of(const StepParts& parts, std::int64_t memory_bytes) {
  if (!parts.cuts) return std::nullopt;
  return CutPicture{.part_bytes = *parts.part_bytes,
                    .operations = parts.operations,
                    .by_budget = parts.by_budget,
                    .least_traffic = least_traffic_text(parts, memory_bytes),
                    .cuts = parts.cuts};
}

std::optional<DeviceRam> device_ram(const Question& question) {
  if (!question.device) return std::nullopt;
  return DeviceRam{.name = question.device->name, .ram_bytes = question.device->ram_bytes};
}

ReportInput report_input(const PlanReport& report) {
  return {.origin = report.question.origin,
          .problem = report.problem,
          .schedule = report.solve.best,
          .solve = report.solve,
          .replay = report.replay,
          .unavoidable_j = report.unavoidable_j,
          .solve_s = report.timing.solve_s,
          .warnings = report.warnings,
          .arena = arena_of(report),
          .cuts = cuts_of(report.parts, bytes_of_all_memories(report.problem)),
          .scope = schedule_scope_text(report.updates, report.parts),
          .device = device_ram(report.question)};
}

// As far as the plan itself says it.
SolveReport solve_report(const Plan& plan, const Replay& replayed) {
  return {.status = value_of(kStatusNames, plan.proof.status).value_or(SolveStatus::Feasible),
          .objective = objective_of(plan.problem, replayed),
          .lower_bound = plan.proof.lower_bound,
          .method = plan.proof.method,
          .backend = plan.proof.backend};
}

ReportInput plan_input(const Plan& plan) {
  const Replay replayed = replay(plan.problem, plan.schedule);
  return {.origin = plan.origin,
          .problem = plan.problem,
          .schedule = plan.schedule,
          .solve = solve_report(plan, replayed),
          .replay = replayed,
          .unavoidable_j = unavoidable(plan.problem).energy_j,
          .solve_s = std::nullopt,
          .warnings = {},
          .arena = arena_of(plan, 1)};
}

std::vector<ReportFile> pictures_of(const ReportInput& input) {
  std::vector<ReportFile> files = svg_charts(input);
  files.insert(files.begin(), ReportFile{kGraphFile, graphviz_dot(input.problem, input.schedule)});
  return files;
}

}  // namespace

std::string report_page(const PlanReport& report) {
  return html_report(report_input(report));
}

StepTrace plan_trace(const Plan& plan, const Replay& replay) {
  const Problem& problem = plan.problem;
  return {.title = plan.origin.command.empty() ? problem.name : plan.origin.command,
          .overlapped = problem.time_mode == TimeMode::Overlapped,
          .ram_budget_bytes = problem.ram_budget_bytes,
          .forms = {traced_form("", problem, plan.schedule, replay)}};
}

std::vector<std::string> plot_file_names() {
  std::vector<std::string> names = chart_file_names();
  names.insert(names.begin(), {kGraphFile, kGraphPicture});
  return names;
}

std::vector<ReportFile> plot_files(const PlanReport& report) {
  return pictures_of(report_input(report));
}

std::string plan_page(const Plan& plan) {
  return html_report(plan_input(plan));
}

std::vector<ReportFile> plan_plot_files(const Plan& plan) {
  return pictures_of(plan_input(plan));
}

}  // namespace poet
