#include "apps/cli/search_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>

#include "apps/cli/answer.h"
#include "apps/cli/environment.h"
#include "apps/cli/parse_options.h"
#include "poet/tell/report_files.h"

namespace poet::cli {

std::string command_line(const std::string& command, const std::vector<std::string>& arguments) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=%+:,";
  std::string line = "poet " + command;
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

Failure check_what(const std::string& command, const PlanRequest& request) {
  if (request.graph_file) return std::nullopt;
  if (request.model.empty())
    return bad_input(
        fmt::format("poet {} needs --model NAME ('poet models' lists them), --model FILE.onnx or "
                    "--graph-file FILE",
                    command));
  if (request.platform.empty())
    return bad_input(
        fmt::format("poet {} needs --platform NAME; 'poet devices' lists them", command));
  return std::nullopt;
}

ProgressStyle progress_style(const SolveFlags& flags) {
  if (flags.quiet) return ProgressStyle::None;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::Terminal : ProgressStyle::Lines;
}

std::function<double()> new_clock() {
  const auto begin = std::chrono::steady_clock::now();
  return [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

void set_origin(const std::string& command, const std::vector<std::string>& arguments,
                PlanRequest& request) {
  request.command = command_line(command, arguments);
  request.solve.library_directories = library_directories();
}

Result<SolveFlags> read_search_flags(const std::string& command,
                                     std::vector<OptionRow> (*rows)(SolveFlags&),
                                     const std::vector<std::string>& arguments) {
  SolveFlags flags;
  const Result<std::vector<std::string>> rest = parse_options(command, rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(fmt::format("poet {} takes only options, found '{}'", command, rest->front()));
  if (const Failure failure = check_what(command, flags.request)) return *failure;
  set_origin(command, arguments, flags.request);
  return flags;
}

void add_model(const std::string& model, CommandFiles& files) {
  if (names_onnx_file(model)) files.reads("--model", model);
}

void add_platform(const std::string& platform, CommandFiles& files) {
  const bool is_path = platform.ends_with(".toml") || platform.find('/') != std::string::npos;
  if (is_path) files.reads("--platform", platform);
}

void add_what_is_read(const SolveFlags& flags, CommandFiles& files) {
  files.reads("--graph-file", flags.request.graph_file);
  add_model(flags.request.model, files);
  add_platform(flags.request.platform, files);
  files.reads("--costs", flags.request.costs_path);
  files.reads("--start", flags.request.start_path);
  files.reads("--weights", flags.request.weights_path);
  files.reads("--adapter-weights", flags.request.adapters_path);
}

Failure check_targets(const SolveFlags& flags) {
  CommandFiles files;
  add_what_is_read(flags, files);
  files.writes("--out", flags.out_path);
  files.writes("--report", flags.report_path);
  files.writes("--trace", flags.trace_path);
  files.writes("--certificate", flags.certificate_path);
  files.fills("--plot-directory", flags.plot_directory, plot_file_names());
  // A better plan may replace the one that the search began with; nothing else may.
  files.allow("--start", "--out");
  return files.check();
}

Search::Search(const SolveFlags& flags)
    : stop_{interrupts_.token(), new_clock(), flags.request.time_limit_s},
      display_({.style = progress_style(flags),
                .elapsed_s = stop_.elapsed_s,
                .limit_s = flags.request.time_limit_s}) {}

ProgressSink Search::progress() {
  return [this](const SolveProgress& progress) { display_.update(progress); };
}

WarningSink Search::early_warnings() {
  return [this](const std::string& warning) {
    display_.aside([&warning] { warn(warning); });
    ++told_;
  };
}

}  // namespace poet::cli
