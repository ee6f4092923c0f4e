#include "apps/cli/compare_command.h"

#include <fmt/core.h>

#include <limits>

#include "apps/cli/answer.h"
#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "poet/ask/compare.h"
#include "poet/base/json_out.h"
#include "poet/tell/compare_chart.h"
#include "poet/tell/compare_text.h"

namespace poet::cli {
namespace {

constexpr const char* kMethods = "Which methods";
constexpr const char* kOutput = "What comes out";

Failure check_own_targets(const CompareFlags& flags) {
  CommandFiles files;
  add_what_is_read(flags.search, files);
  files.writes("--csv", flags.csv_path);
  files.writes("--chart", flags.chart_path);
  return files.check();
}

Result<CompareReport> compare_with_progress(const CompareFlags& flags, const Question& question,
                                            std::size_t& told) {
  CompareRequest request{
      .question = question, .methods = flags.methods, .limit_s = flags.search.request.time_limit_s};
  SolveFlags unlimited = flags.search;  // the limit is each method's own
  unlimited.request.time_limit_s = std::numeric_limits<double>::infinity();
  Search search(unlimited);
  Result<CompareReport> report =
      compare_methods(request, search.stop(), search.progress(), search.early_warnings());
  told = search.told();
  return report;
}

int answer(const CompareFlags& flags, const CompareReport& report, std::size_t told) {
  WrittenFiles files;
  files.write(flags.csv_path, compare_csv(report));
  files.write(flags.chart_path, compare_chart_svg(report));
  for (std::size_t i = told; i < report.warnings.size(); ++i) warn(report.warnings[i]);

  const int code = report.runs.back().fits() ? kExitFound : kExitNo;
  JsonOut json = compare_to_json(report);
  return files.print(json, compare_text(report), flags.search.output, code);
}

}  // namespace

Result<CompareFlags> read_compare_flags(const std::vector<std::string>& arguments) {
  CompareFlags flags;
  const Result<std::vector<std::string>> rest =
      parse_options("compare", compare_option_rows(flags), arguments);
  if (!rest.ok()) return rest.error();
  if (!rest->empty())
    return bad_input(fmt::format("poet compare takes only options, found '{}'", rest->front()));
  if (const Failure failure = check_what("compare", flags.search.request)) return *failure;
  set_origin("compare", arguments, flags.search.request);
  return flags;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_table()) names.emplace_back(entry.name);
  return names;
}

std::vector<OptionRow> compare_option_rows(CompareFlags& flags) {
  std::vector<OptionRow> rows =
      with_other_help(search_option_rows(QuestionAsker::Compare, flags.search),
                      {
                          {"--time-limit-s", "for each method; default 60"},
                          {"--max-nodes",
                           "branch-and-bound nodes after which each exact method "
                           "stops; default 1000000"},
                          {"--max-iterations",
                           "simplex iterations after which each exact method "
                           "stops; default none"},
                          {"--out", ""},
                          {"--certificate", ""},
                          {"--report", ""},
                          {"--plot-directory", ""},
                          {"--print-graph-info", ""},
                          {"--print-power-costs", ""},
                      });
  std::string list;
  for (const std::string& name : method_names()) list += (list.empty() ? "" : ", ") + name;
  rows.push_back(
      {.names = "--methods",
       .value = "NAMES",
       .group = kMethods,
       .help = "with commas between them; poet is always among them; default all: " + list,
       .words = method_names(),
       .read = [&flags](const std::string& text) {
         Result<std::vector<std::string>> names = read_list(text);
         if (!names.ok()) return Failure(names.error());
         flags.methods = *std::move(names);
         const auto known = methods_named(flags.methods);
         return known.ok() ? Failure() : Failure(known.error());
       }});
  rows.push_back({.names = "--csv",
                  .value = "FILE",
                  .group = kOutput,
                  .help = "write the table, one line a method",
                  .completes = Completes::Files,
                  .read = [&flags](const std::string& text) {
                    flags.csv_path = text;
                    return Failure();
                  }});
  rows.push_back({.names = "--chart",
                  .value = "FILE",
                  .group = kOutput,
                  .help = "write the overheads as a picture (SVG)",
                  .completes = Completes::Files,
                  .read = [&flags](const std::string& text) {
                    flags.chart_path = text;
                    return Failure();
                  }});
  return rows;
}

int run_compare(const std::vector<std::string>& arguments) {
  const Output output = output_of(arguments);
  const Result<CompareFlags> flags = read_compare_flags(arguments);
  if (!flags.ok()) return refuse(flags.error(), output);
  if (const Failure failure = check_own_targets(*flags)) return refuse(*failure, output);
  const Result<Question> question = read_question(flags->search.request);
  if (!question.ok()) return refuse(question.error(), output);
  std::size_t told = 0;
  const Result<CompareReport> report = compare_with_progress(*flags, *question, told);
  if (!report.ok()) return refuse(report.error(), output);
  return answer(*flags, *report, told);
}

}  // namespace poet::cli
