#include "apps/cli/solve_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "apps/cli/command.h"
#include "apps/cli/environment.h"
#include "apps/cli/interrupt_watch.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/progress_display.h"
#include "apps/cli/solve_flags.h"
#include "poet/api/graph_file.h"
#include "poet/api/inspect.h"
#include "poet/api/report_files.h"
#include "poet/api/report_json.h"
#include "poet/api/summary_text.h"
#include "poet/base/text_file.h"
#include "poet/plan/plan_file.h"
#include "poet/report/dot_program.h"

namespace poet::cli {
namespace {

// The command line again, for the plan's origin; quoted where a shell would need it.
std::string command_line(const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=%+:,";
  std::string line = "poet solve";
  for (const std::string& argument : arguments) {
    line += ' ';
    if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char letter : argument)
      line += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    line += '\'';
  }
  return line;
}

// Settles what is planned: a network on a device, or a graph file.
Failure read_what(SolveFlags& flags) {
  PlanRequest& request = flags.request;
  if (flags.graph_file && flags.graph_kind)
    return bad_input("--graph-file and --graph name two graphs; give one of them");
  if (flags.graph_kind) request.graph = *flags.graph_kind;
  if (flags.graph_file) {
    Result<PlanRequest> about_file = with_graph_file(request, *flags.graph_file);
    if (!about_file.ok()) return about_file.error();
    request = *std::move(about_file);
    return std::nullopt;
  }
  if (request.model.empty())
    return bad_input(
        "poet solve needs --model NAME ('poet models' lists them) or --graph-file FILE");
  if (request.platform.empty())
    return bad_input("poet solve needs --platform NAME; 'poet devices' lists them");
  return std::nullopt;
}

Result<SolveFlags> read_flags(const std::vector<std::string>& arguments) {
  SolveFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("solve", solve_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(fmt::format("poet solve takes only options, found '{}'", rest->front()));
  if (const Failure failure = read_what(flags)) return *failure;
  flags.request.command = command_line(arguments);
  flags.request.solve.library_directories = library_directories();
  return flags;
}

// Before the search, so that its answer is not lost to a slip.
Failure check_targets(const SolveFlags& flags) {
  if (flags.out_path)
    if (Failure failure = check_file_target("--out", *flags.out_path)) return failure;
  if (flags.report_path)
    if (Failure failure = check_file_target("--report", *flags.report_path)) return failure;
  if (flags.plot_directory)
    if (Failure failure = check_folder_target("--plot-directory", *flags.plot_directory))
      return failure;
  std::vector<NamedPath> files;
  const auto name = [&files](const char* option, const std::optional<std::string>& path) {
    if (path) files.push_back({option, *path});
  };
  name("--graph-file", flags.graph_file);
  if (flags.request.platform.ends_with(".toml")) name("--platform", flags.request.platform);
  name("--out", flags.out_path);
  name("--report", flags.report_path);
  return check_distinct(files);
}

ProgressStyle progress_style(const SolveFlags& flags) {
  if (flags.quiet) return ProgressStyle::None;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::Terminal : ProgressStyle::Lines;
}

// What the user should know before a long search is said before it; `told` counts it.
Result<PlanReport> plan_with_progress(const SolveFlags& flags, std::size_t& told) {
  const InterruptWatch interrupts;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed_s = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  ProgressDisplay display({.style = progress_style(flags),
                           .objective = objective_of(flags.request),
                           .elapsed_s = elapsed_s,
                           .limit_s = flags.time_limit_s});
  const Stop stop{interrupts.token(), elapsed_s, flags.time_limit_s};
  return make_plan(
      flags.request, stop, [&display](const SolveProgress& progress) { display.update(progress); },
      [&display, &told](const std::string& warning) {
        display.aside([&warning] { warn(warning); });
        ++told;
      });
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
  if (flags.report_path)
    if (Failure failure = write(*flags.report_path, report_page(report))) return failure;
  if (!flags.plot_directory) return std::nullopt;
  if (Failure failure = make_folder(*flags.plot_directory)) return failure;
  // Charts of an earlier answer would be taken for this one's.
  if (Failure failure = remove_files(*flags.plot_directory, plot_file_names())) return failure;
  const std::string folder =
      *flags.plot_directory + (flags.plot_directory->ends_with('/') ? "" : "/");
  for (const ReportFile& file : plot_files(report))
    if (Failure failure = write(folder + file.name, file.text)) return failure;
  // Without Graphviz the graph stays a text, which any Graphviz draws later.
  const std::string picture = folder + kGraphPicture;
  if (const Failure failure = draw_graph(folder + kGraphFile, picture))
    warn(failure->message);
  else
    written.push_back(picture);
  return std::nullopt;
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
  if (flags.out_path && !report.plan)
    report.warnings.push_back(
        fmt::format("there is no schedule, so '{}' was not written", *flags.out_path));
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
  const Result<SolveFlags> flags = read_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_targets(*flags)) return refuse(*failure, output);
  std::size_t told = 0;
  Result<PlanReport> report = plan_with_progress(*flags, told);
  if (!report.ok()) return refuse(report.error(), output);
  return answer(*flags, *report, told);
}

}  // namespace poet::cli
