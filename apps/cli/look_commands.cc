#include "apps/cli/look_commands.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/plot_folder.h"
#include "apps/cli/search_command.h"
#include "apps/cli/solve_flags.h"
#include "poet/ask/plan_check.h"
#include "poet/tell/check_text.h"
#include "poet/tell/inspect.h"
#include "poet/tell/inspect_plots.h"

namespace poet::cli {
namespace {

OptionRow json_row(LookFlags& flags) {
  return {.names = "--json",
          .group = "Options",
          .help = "print JSON instead of text",
          .read = [&flags](const std::string&) {
            flags.output = Output::Json;
            return Failure();
          }};
}

// The one argument that verify and inspect take.
Result<std::string> one_argument(const std::string& command, const std::string& what,
                                 const std::vector<OptionRow>& rows,
                                 const std::vector<std::string>& arguments) {
  const Result<std::vector<std::string>> rest = parse_options(command, rows, arguments);
  if (!rest.ok()) return rest.error();
  if (rest->empty()) return bad_input(fmt::format("poet {} needs {}", command, what));
  if (rest->size() > 1)
    return bad_input(fmt::format("poet {} takes one argument, found '{}' after '{}'", command,
                                 (*rest)[1], (*rest)[0]));
  return rest->front();
}

int print(const Result<Description>& description, Output output) {
  if (!description.ok()) return refuse(description.error(), output);
  for (const std::string& warning : description->warnings) warn(warning);
  return output == Output::Json ? print_json(description->json, kExitFound)
                                : print_text(description->text, kExitFound);
}

// A command without arguments, that prints a table.
int run_list(const std::string& command, Result<Description> (*describe)(),
             const std::vector<std::string>& arguments) {
  LookFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options(command, list_option_rows(flags), arguments);
  const Output output = output_of(arguments);
  if (!rest.ok()) return refuse(rest.error(), output);
  if (!rest->empty())
    return refuse(
        bad_input(fmt::format("poet {} takes only options, found '{}'", command, rest->front())),
        output);
  return print(describe(), output);
}

int inspect_file(const LookFlags& flags, const std::vector<std::string>& rest) {
  if (!rest.empty())
    return refuse(bad_input(fmt::format("--graph-file and '{}' are two things to inspect; name one "
                                        "of them",
                                        rest.front())),
                  flags.output);
  if (flags.plot_directory)
    return refuse(bad_input("--plot-directory does not apply to a graph file"), flags.output);
  if (flags.network.request.batch_size != 1)
    return refuse(bad_input("--batch-size does not apply to a graph file"), flags.output);
  std::optional<std::string> platform;
  if (!flags.network.request.platform.empty()) platform = flags.network.request.platform;
  return print(inspect_graph_file(*flags.graph_file, platform), flags.output);
}

// What is said, and the pictures; `what` must be a network.
int inspect_with_plots(const std::string& what, const LookFlags& flags) {
  CommandFiles named;
  add_what_is_read(flags.network, named);
  named.fills("--plot-directory", flags.plot_directory, inspect_plot_names());
  if (const Failure failure = named.check()) return refuse(*failure, flags.output);
  Result<Description> description = inspect(what, flags.network.request);
  if (!description.ok()) return refuse(description.error(), flags.output);
  PlanRequest request = flags.network.request;
  request.model = what;
  const Result<std::vector<ReportFile>> files = inspect_plots(request);
  if (!files.ok()) return refuse(files.error(), flags.output);
  std::vector<std::string> written;
  const Failure failure = write_plots(*flags.plot_directory,
                                      {.files = *files,
                                       .names = inspect_plot_names(),
                                       .graph_file = kModelDotFile,
                                       .graph_picture = kModelPicture},
                                      written);
  description->json["files"] = written;
  for (const std::string& path : written) description->text += fmt::format("\n  wrote {}", path);
  description->text += written.empty() ? "" : "\n";
  const int printed = print(description, flags.output);
  return failure ? refuse(*failure, Output::Text) : printed;
}

}  // namespace

std::vector<OptionRow> verify_option_rows(LookFlags& flags) {
  std::vector<std::string> modes;
  for (const Named<TimeMode>& row : kTimeModes) modes.emplace_back(row.name);
  return {{.names = "--io",
           .value = "MODE",
           .group = "Options",
           .help = "replay as if transfers took time like this; default: as planned",
           .words = modes,
           .only_words = true,
           .read =
               [&flags](const std::string& text) {
                 flags.io = value_of(kTimeModes, text);
                 return Failure();
               }},
          {.names = "--certificate",
           .value = "FILE",
           .group = "Options",
           .help = "a proof of the plan's bound or of its RAM budget, as 'poet solve' and 'poet "
                   "minimum' write it with --certificate: how much it proves",
           .completes = Completes::Files,
           .read =
               [&flags](const std::string& text) {
                 flags.certificate = text;
                 return Failure();
               }},
          json_row(flags)};
}

std::vector<OptionRow> inspect_option_rows(LookFlags& flags) {
  std::vector<OptionRow> rows = {
      {.names = "--platform",
       .value = "NAME|FILE",
       .group = "Options",
       .help = "the device whose costs a network is shown with, default m4; or a graph file, "
               "default none",
       .words = platform_names(),
       .completes = Completes::Files,
       .read =
           [&flags](const std::string& text) {
             flags.network.request.platform = text;
             return Failure();
           }},
      {.names = "--graph-file",
       .value = "FILE",
       .group = "Options",
       .help = "show a costed graph",
       .completes = Completes::Files,
       .read =
           [&flags](const std::string& text) {
             flags.graph_file = text;
             return Failure();
           }},
      {.names = "--plot-directory",
       .value = "FOLDER",
       .group = "Options",
       .help = "draw a real network: its layers (Graphviz), RAM over its step when everything is "
               "kept, and what its operations take (SVG), into a folder",
       .completes = Completes::Directories,
       .read =
           [&flags](const std::string& text) {
             flags.plot_directory = text;
             return Failure();
           }},
      json_row(flags)};
  for (OptionRow& row : rows_for(QuestionAsker::Inspect, flags.network.request))
    rows.push_back(std::move(row));
  return rows;
}

std::vector<OptionRow> list_option_rows(LookFlags& flags) {
  return {json_row(flags)};
}

int run_verify(const std::vector<std::string>& arguments) {
  LookFlags flags;
  const Output output = output_of(arguments);
  const Result<std::string> path =
      one_argument("verify", "the path of a plan", verify_option_rows(flags), arguments);
  if (!path.ok()) return refuse(path.error(), output);
  const Result<PlanCheck> check = verify_plan_file(*path, flags.io, flags.certificate);
  if (!check.ok()) return refuse(check.error(), output);
  const int code = check->valid() ? kExitFound : kExitNo;
  return output == Output::Json ? print_json(check_to_json(*check), code)
                                : print_text(check_text(*check), code);
}

int run_inspect(const std::vector<std::string>& arguments) {
  LookFlags flags;
  const Output output = output_of(arguments);
  const std::vector<OptionRow> rows = inspect_option_rows(flags);
  const Result<std::vector<std::string>> rest = parse_options("inspect", rows, arguments);
  if (rest.ok() && flags.graph_file) return inspect_file(flags, *rest);
  const Result<std::string> what =
      one_argument("inspect", "a network, a device or the path of a plan", rows, arguments);
  if (!what.ok()) return refuse(what.error(), output);
  if (flags.plot_directory) return inspect_with_plots(*what, flags);
  return print(inspect(*what, flags.network.request), output);
}

int run_models(const std::vector<std::string>& arguments) {
  return run_list("models", describe_models, arguments);
}

int run_devices(const std::vector<std::string>& arguments) {
  return run_list("devices", describe_devices, arguments);
}

}  // namespace poet::cli
