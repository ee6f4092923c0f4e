#include "apps/cli/plain_commands.h"

#include <fmt/core.h>

#include "apps/cli/answer.h"
#include "apps/cli/plot_folder.h"
#include "apps/cli/search_command.h"
#include "apps/cli/solve_flags.h"
#include "poet/ask/make_plan.h"
#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/certificate_json.h"
#include "poet/report/trace_file.h"
#include "poet/tell/certificate_text.h"
#include "poet/tell/inspect.h"
#include "poet/tell/report_files.h"
#include "poet/tell/report_json.h"
#include "poet/tell/summary_text.h"

namespace poet::cli {
namespace {

// What the user should know before a long search is said before it; `told` counts it.
Result<PlanReport> plan_with_progress(const SolveFlags& flags, const Question& question,
                                      std::size_t& told) {
  Search search(flags);
  Result<PlanReport> report =
      make_plan(question, search.stop(), search.progress(), search.early_warnings());
  told = search.told();
  return report;
}

// Writes what was asked for, and notes each path in `written`.
Failure write_files(const SolveFlags& flags, const PlanReport& report,
                    std::vector<std::string>& written) {
  const auto write = [&written](const std::string& path, const std::string& text) {
    Failure failure = write_text_file(path, text);
    if (!failure) written.push_back(path);
    return failure;
  };
  if (flags.out_path && report.plan)
    if (Failure failure = write(*flags.out_path, plan_text(*report.plan))) return failure;
  if (flags.certificate_path && report.solve.certificate)
    if (Failure failure =
            write(*flags.certificate_path, certificate_text(*report.solve.certificate)))
      return failure;
  if (flags.report_path)
    if (Failure failure = write(*flags.report_path, report_page(report))) return failure;
  if (flags.trace_path && report.plan) {
    if (Failure failure = write_trace(*flags.trace_path, plan_trace(*report.plan, report.replay)))
      return failure;
    written.push_back(*flags.trace_path);
  }
  if (!flags.plot_directory) return std::nullopt;
  return write_plots(*flags.plot_directory,
                     {.files = plot_files(report),
                      .names = plot_file_names(),
                      .graph_file = kGraphFile,
                      .graph_picture = kGraphPicture},
                     written);
}

std::string answer_text(const SolveFlags& flags, const PlanReport& report,
                        const std::vector<std::string>& written) {
  std::string text;
  if (flags.print_graph_info) text += describe_graph(report.problem).text + "\n";
  if (flags.print_power_costs) text += describe_costs(report.problem).text + "\n";
  text += summary_text(report);
  if (!written.empty()) text += "\n";
  for (const std::string& path : written) text += fmt::format("  wrote {}\n", path);
  return text;
}

JsonOut answer_json(const SolveFlags& flags, const PlanReport& report,
                    const std::vector<std::string>& written) {
  JsonOut json = report_to_json(report);
  if (flags.print_graph_info) json["graph_info"] = describe_graph(report.problem).json;
  if (flags.print_power_costs) json["power_costs"] = describe_costs(report.problem).json;
  json["files"] = written;
  return json;
}

int answer(const SolveFlags& flags, PlanReport& report, std::size_t told) {
  const std::string_view no_plan = report.solve.status == SolveStatus::Infeasible
                                       ? "there is no schedule"
                                       : "no schedule was found";
  if (flags.out_path && !report.plan)
    report.warnings.push_back(fmt::format("{}, so '{}' was not written", no_plan, *flags.out_path));
  if (flags.certificate_path && !report.solve.certificate)
    report.warnings.push_back(fmt::format("{}, so '{}' was not written", why_no_certificate(report),
                                          *flags.certificate_path));
  if (flags.trace_path && !report.plan)
    report.warnings.push_back(
        fmt::format("{}, so '{}' was not written", no_plan, *flags.trace_path));
  std::vector<std::string> written;
  const Failure failure = write_files(flags, report, written);
  for (std::size_t i = told; i < report.warnings.size(); ++i) warn(report.warnings[i]);

  const int code = report.plan ? kExitFound : kExitNo;
  const int printed = flags.output == Output::Json
                          ? print_json(answer_json(flags, report, written), code)
                          : print_text(answer_text(flags, report, written), code);
  return failure ? refuse(*failure, Output::Text) : printed;
}

}  // namespace

int run_solve(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<SolveFlags> flags = read_search_flags("solve", solve_option_rows, arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_targets(*flags)) return refuse(*failure, output);
  const Result<Question> question = read_question(flags->request);
  if (!question.ok()) return refuse(question.error(), output);
  std::size_t told = 0;
  Result<PlanReport> report = plan_with_progress(*flags, *question, told);
  if (!report.ok()) return refuse(report.error(), output);
  return answer(*flags, *report, told);
}

}  // namespace poet::cli
