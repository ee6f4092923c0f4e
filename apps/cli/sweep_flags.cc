#include "apps/cli/sweep_flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "apps/cli/compare_command.h"
#include "apps/cli/environment.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "poet/ask/compare.h"
#include "poet/store/postgres_connection.h"
#include "poet/store/team_store.h"
#include "poet/tell/sweep_text.h"

namespace poet::cli {
namespace {

constexpr const char* kSweep = "How to sweep";
constexpr const char* kOutput = "What comes out";
constexpr const char* kName = "sweep";
constexpr std::size_t kLongestName = 200;
constexpr std::int64_t kBudgets = 20, kMostBudgets = 10'000, kMostJobs = 1024;
// Counted effort, so that a point is the same wherever it is answered.
constexpr std::int64_t kNodes = 100, kIterations = 100'000;

Failure keep_text(const std::string& text, std::optional<std::string>& target) {
  target = text;
  return std::nullopt;
}

Failure keep_list(const std::string& text, std::vector<std::string>& target) {
  Result<std::vector<std::string>> list = read_list(text);
  if (!list.ok()) return list.error();
  target = *std::move(list);
  return std::nullopt;
}

Failure keep_store(const std::string& text, std::optional<std::string>& target) {
  if (!names_database(text))
    return bad_input(
        "expected the address of a database, postgresql://USER@HOST/DATABASE; --results FILE keeps "
        "the points in a file");
  return keep_text(text, target);
}

Failure keep_name(const std::string& text, std::string& target) {
  if (text.empty() || text.size() > kLongestName)
    return bad_input(fmt::format("expected a name of 1 to {} characters", kLongestName));
  target = text;
  return std::nullopt;
}

template <typename T, typename Read>
Failure keep_each(const std::string& text, Read read, std::vector<T>& target) {
  const Result<std::vector<std::string>> list = read_list(text);
  if (!list.ok()) return list.error();
  target.clear();
  for (const std::string& one : *list) {
    auto value = read(one);
    if (!value.ok()) return value.error();
    target.emplace_back(*std::move(value));
  }
  return std::nullopt;
}

// The rows of `poet solve` that take a list here.
void read_lists(std::vector<OptionRow>& rows, SweepFlags& flags) {
  for (OptionRow& row : rows) {
    const std::string name = names_of(row).front();
    SweepRequest& sweep = flags.sweep;
    if (name == "--model") {
      row.value = "NAMES";
      row.read = [&sweep](const std::string& text) { return keep_list(text, sweep.models); };
    } else if (name == "--platform") {
      row.value = "NAMES";
      row.read = [&sweep](const std::string& text) { return keep_list(text, sweep.platforms); };
    } else if (name == "--ram-budget") {
      row.value = "SIZES";
      row.read = [&sweep](const std::string& text) {
        return keep_each(text, parse_ram_budget, sweep.budgets);
      };
    } else if (name == "--runtime-budget") {
      row.value = "TIMES";
      row.read = [&sweep](const std::string& text) {
        return keep_each(text, parse_deadline, sweep.deadlines);
      };
    }
  }
}

std::vector<OptionRow> own_rows(SweepFlags& flags) {
  std::string list;
  for (const std::string& name : method_names()) list += (list.empty() ? "" : ", ") + name;
  return {
      {.names = "--budgets",
       .value = "N",
       .group = kSweep,
       .help =
           "this many RAM budgets, evenly above the largest working set and up to the plain peak; "
           "default 20",
       .read =
           [&flags](const std::string& text) {
             const Result<std::int64_t> count = read_whole(text, 1, kMostBudgets);
             if (!count.ok()) return Failure(count.error());
             flags.budget_count = *count;
             return Failure();
           }},
      {.names = "--methods",
       .value = "NAMES",
       .group = kSweep,
       .help = "with commas between them; poet is always among them; default all but "
               "poet-released, which is slow: " +
               list,
       .words = method_names(),
       .read =
           [&flags](const std::string& text) {
             if (Failure failure = keep_list(text, flags.sweep.methods)) return failure;
             const auto known = methods_named(flags.sweep.methods);
             return known.ok() ? Failure() : Failure(known.error());
           }},
      {.names = "--results",
       .value = "FILE",
       .group = kSweep,
       .help = "keep every finished point in this file (SQLite); with a file of an earlier run of "
               "the same sweep, go on where it ended",
       .completes = Completes::Files,
       .read = [&flags](const std::string& text) { return keep_text(text, flags.results_path); }},
      {.names = "--store",
       .value = "ADDRESS",
       .group = kSweep,
       .help = "keep the points in a database, postgresql://USER@HOST/DATABASE: any number of "
               "processes with the same command share the sweep, and take over from those that are "
               "lost",
       .read = [&flags](const std::string& text) { return keep_store(text, flags.store_uri); }},
      {.names = "--name",
       .value = "NAME",
       .group = kSweep,
       .help = "what the sweep is called in the --store; default sweep",
       .read = [&flags](const std::string& text) { return keep_name(text, flags.name); }},
      {.names = "--lease",
       .value = "SECONDS",
       .group = kSweep,
       .help = "with --store, after which the points of a process that is gone are taken over by "
               "another; default 30",
       .read =
           [&flags](const std::string& text) {
             const Result<double> seconds = read_number(text, Zero::Refused);
             if (!seconds.ok()) return Failure(seconds.error());
             flags.lease_s = *seconds;
             return Failure();
           }},
      {.names = "--collect",
       .group = kSweep,
       .help = "plan nothing: tell what --store or --results has by now",
       .read =
           [&flags](const std::string&) {
             flags.collect = true;
             return Failure();
           }},
      {.names = "--jobs",
       .value = "N",
       .group = kSweep,
       .help = "points at a time; default one a processor; under mpirun, one a rank",
       .read =
           [&flags](const std::string& text) {
             const Result<std::int64_t> jobs = read_whole(text, 1, kMostJobs);
             if (!jobs.ok()) return Failure(jobs.error());
             flags.jobs = static_cast<int>(*jobs);
             return Failure();
           }},
      {.names = "--csv",
       .value = "FILE",
       .group = kOutput,
       .help = "write every point, one line each",
       .completes = Completes::Files,
       .read = [&flags](const std::string& text) { return keep_text(text, flags.csv_path); }},
  };
}

Failure settle_store(SweepFlags& flags) {
  if (flags.store_uri && flags.results_path)
    return bad_input("--results and --store both say where the points are kept; give one of them");
  if (!flags.store_uri && (!flags.name.empty() || flags.lease_s))
    return bad_input(fmt::format("--{} is of a sweep in a database; give --store postgresql://...",
                                 flags.name.empty() ? "lease" : "name"));
  if (flags.collect && !flags.store_uri && !flags.results_path)
    return bad_input("--collect needs --store or --results, where the points are kept");
  if (flags.name.empty()) flags.name = kName;
  return std::nullopt;
}

// The lists that were given, or what stands for them.
Failure settle(SweepFlags& flags) {
  SweepRequest& sweep = flags.sweep;
  PlanRequest& plan = flags.search.request;
  if (flags.budget_count && !sweep.budgets.empty())
    return bad_input("--budgets and --ram-budget both say how much RAM; give one of them");
  if (sweep.methods.empty())
    for (const MethodEntry& method : method_table())
      if (!method.slow) sweep.methods.emplace_back(method.name);
  if (sweep.budgets.empty())
    sweep.budgets = evenly_spaced_budgets(static_cast<int>(flags.budget_count.value_or(kBudgets)));
  // As for the other commands: a network on a device, or a graph file.
  if (!sweep.models.empty()) plan.model = sweep.models.front();
  if (!sweep.platforms.empty()) plan.platform = sweep.platforms.front();
  if (Failure failure = check_what("sweep", plan)) return failure;
  if (Failure failure = settle_store(flags)) return failure;
  sweep.plan = plan;
  sweep.limit_s = flags.search.request.time_limit_s;
  return std::nullopt;
}

}  // namespace

std::vector<OptionRow> sweep_option_rows(SweepFlags& flags) {
  flags.search.request.time_limit_s = std::numeric_limits<double>::infinity();
  flags.search.request.solve.max_nodes = kNodes;
  flags.search.request.solve.max_iterations = kIterations;
  std::vector<OptionRow> rows = with_other_help(
      search_option_rows(QuestionAsker::Sweep, flags.search),
      {
          {"--model", "the networks, with commas between them; 'poet models' lists them"},
          {"--platform",
           "the devices, with commas between them: names that 'poet devices' lists, or TOML files"},
          {"--ram-budget",
           "in place of --budgets: sizes as 'poet solve' takes them, with commas between them"},
          {"--runtime-budget",
           "the deadlines, with commas between them: 1.5 or 1.5x the time of computing everything "
           "once, or 200ms, 3s, 2min; default: none"},
          {"--time-limit-s",
           "for each point; default none, since what a clock ends depends on the machine"},
          {"--max-nodes",
           "branch-and-bound nodes for each point of an exact method: a limit that is the same on "
           "every machine; default 100"},
          {"--max-iterations",
           "simplex iterations for each point of an exact method, another such limit; default "
           "100000"},
          {"--report", "write a page with the curves, as HTML"},
          {"--plot-directory", "write each curve chart (SVG) into a folder"},
          {"--out", ""},
          {"--certificate", ""},
          {"--print-graph-info", ""},
          {"--print-power-costs", ""},
      });
  read_lists(rows, flags);
  for (OptionRow& row : own_rows(flags)) rows.push_back(std::move(row));
  return rows;
}

namespace {

// It stands on the page that --report writes, where no password belongs.
std::string shown_command(std::vector<std::string> arguments, const SweepFlags& flags) {
  if (flags.store_uri)
    for (std::string& word : arguments)
      if (word.ends_with(*flags.store_uri)) word = without_password(word, *flags.store_uri);
  return command_line("sweep", arguments);
}

}  // namespace

Result<SweepFlags> read_sweep_flags(const std::vector<std::string>& arguments) {
  SweepFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("sweep", sweep_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(fmt::format("poet sweep takes only options, found '{}'", rest->front()));
  flags.search.request.command = shown_command(arguments, flags);
  flags.search.request.solve.library_directories = library_directories();
  if (Failure failure = settle(flags)) return *failure;
  return flags;
}

Failure check_sweep_targets(const SweepFlags& flags) {
  const SweepRequest& sweep = flags.sweep;
  CommandFiles files;
  add_what_is_read(flags.search, files);
  if (!flags.search.request.graph_file)
    for (const std::string& model : sweep.models) add_model(model, files);
  for (const std::string& platform : sweep.platforms) add_platform(platform, files);
  files.writes("--results", flags.results_path);
  files.writes("--csv", flags.csv_path);
  files.writes("--report", flags.search.report_path);
  const auto count = [](const auto& list) { return std::max<std::size_t>(1, list.size()); };
  files.fills(
      "--plot-directory", flags.search.plot_directory,
      sweep_picture_names(count(sweep.models) * count(sweep.platforms) * count(sweep.deadlines)));
  return files.check();
}

}  // namespace poet::cli
