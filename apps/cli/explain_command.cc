#include "apps/cli/explain_command.h"

#include <fmt/core.h>

#include "apps/cli/answer.h"
#include "apps/cli/environment.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "poet/ask/solver_names.h"
#include "poet/base/byte_text.h"
#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/tell/explain_text.h"

namespace poet::cli {
namespace {

constexpr const char* kGroup = "Options";
constexpr double kTimeLimitS = 10;

// Keeps a value that was read, or says what is wrong with it.
template <typename T, typename Target>
Failure keep(const Result<T>& value, Target& target) {
  if (!value.ok()) return value.error();
  target = *value;
  return std::nullopt;
}

Result<ExplainFlags> read_flags(const std::vector<std::string>& arguments) {
  ExplainFlags flags;
  flags.search.request.time_limit_s = kTimeLimitS;
  Result<std::vector<std::string>> rest =
      parse_options("explain", explain_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (rest->empty()) return bad_input("poet explain needs the path of a plan");
  flags.request.plan_path = rest->front();
  flags.request.names.assign(rest->begin() + 1, rest->end());
  flags.request.solve.library_directories = library_directories();
  return flags;
}

}  // namespace

std::vector<OptionRow> explain_option_rows(ExplainFlags& flags) {
  std::vector<std::string> solvers;
  for (const SolverName& row : solver_name_table()) solvers.emplace_back(row.name);
  return {
      {.names = "--ram-more",
       .value = "SIZE",
       .group = kGroup,
       .help = "how much more RAM to ask about; default 8KiB",
       .read =
           [&flags](const std::string& text) {
             return keep(parse_bytes(text), flags.request.more_ram_bytes);
           }},
      {.names = "--time-more",
       .value = "PART",
       .group = kGroup,
       .help = "how much more time to ask about, of the deadline: 10% (default), 0.05",
       .read =
           [&flags](const std::string& text) {
             return keep(read_part(text), flags.request.more_time_ratio);
           }},
      {.names = "--quick",
       .group = kGroup,
       .help = "only bound what more would save, without planning again",
       .read =
           [&flags](const std::string&) {
             flags.request.quick = true;
             return Failure();
           }},
      {.names = "--time-limit-s",
       .value = "SECONDS",
       .group = kGroup,
       .help = "when to stop; default 10",
       .read =
           [&flags](const std::string& text) {
             return keep(read_number(text, Zero::Refused), flags.search.request.time_limit_s);
           }},
      {.names = "--solver",
       .value = "NAME",
       .group = kGroup,
       .help = "library for linear and integer programs; default cbc",
       .words = solvers,
       .only_words = true,
       .read =
           [&flags](const std::string& text) {
             flags.request.solver = text;
             return Failure();
           }},
      {.names = "--json",
       .group = kGroup,
       .help = "print JSON instead of text",
       .read =
           [&flags](const std::string&) {
             flags.search.output = Output::Json;
             return Failure();
           }},
      {.names = "--quiet",
       .group = kGroup,
       .help = "show no progress",
       .read =
           [&flags](const std::string&) {
             flags.search.quiet = true;
             return Failure();
           }},
  };
}

int run_explain(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  Result<ExplainFlags> flags = read_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  // Before a search hears Ctrl-C: a pipe may have nothing for a long time.
  Result<std::string> text = read_text_file(flags->request.plan_path);
  if (!text.ok()) return refuse(text.error(), output);
  flags->request.plan_text = *std::move(text);
  Result<Explanation> explanation = [&flags] {
    Search search(flags->search);
    return explain_plan(flags->request, search.stop(), search.progress());
  }();
  if (!explanation.ok()) return refuse(explanation.error(), output);
  for (const std::string& warning : explanation->warnings) warn(warning);
  return output == Output::Json ? print_json(explanation_to_json(*explanation), kExitFound)
                                : print_text(explanation_text(*explanation), kExitFound);
}

}  // namespace poet::cli
