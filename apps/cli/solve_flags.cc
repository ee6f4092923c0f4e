#include "apps/cli/solve_flags.h"

#include <algorithm>

#include "poet/ask/option_reads.h"

namespace poet::cli {
namespace {

constexpr const char* kOutput = "What comes out";

}  // namespace

std::vector<OptionRow> output_option_rows(SolveFlags& flags) {
  return {
      {.names = "--out",
       .value = "FILE",
       .group = kOutput,
       .help = "write the plan, as JSON",
       .completes = Completes::Files,
       .read = keep_as_text(flags.out_path)},
      {.names = "--certificate",
       .value = "FILE",
       .group = kOutput,
       .help = "also prove the bound, or that there is no schedule, so that 'poet verify' and "
               "'poet-check-proof' can check it, and write the proof, as JSON",
       .completes = Completes::Files,
       .read =
           [&flags](const std::string& text) {
             flags.certificate_path = text;
             flags.request.solve.certificate = CertificateEffort::Whole;
             return Failure();
           }},
      {.names = "--report",
       .value = "FILE",
       .group = kOutput,
       .help = "write a page with pictures, as HTML",
       .completes = Completes::Files,
       .read = keep_as_text(flags.report_path)},
      {.names = "--plot-directory",
       .value = "FOLDER",
       .group = kOutput,
       .help = "write the graph (Graphviz) and each chart (SVG) into a folder",
       .completes = Completes::Directories,
       .read = keep_as_text(flags.plot_directory)},
      {.names = "--print-graph-info,--no-print-graph-info",
       .group = kOutput,
       .help = "print how large the training step is",
       .read = keep_as_switch(flags.print_graph_info)},
      {.names = "--print-power-costs,--no-print-power-costs",
       .group = kOutput,
       .help = "print what each operation and transfer costs",
       .read = keep_as_switch(flags.print_power_costs)},
      {.names = "--json",
       .group = kOutput,
       .help = "print one JSON object instead of text",
       .read =
           [&flags](const std::string&) {
             flags.output = Output::Json;
             return Failure();
           }},
      {.names = "--quiet",
       .group = kOutput,
       .help = "show no progress",
       .read = keep_as_switch(flags.quiet)},
  };
}

std::vector<OptionRow> search_option_rows(QuestionAsker asker, SolveFlags& flags) {
  std::vector<OptionRow> rows = rows_for(asker, flags.request);
  for (OptionRow& row : output_option_rows(flags)) rows.push_back(std::move(row));
  return rows;
}

OptionRow trace_row(SolveFlags& flags) {
  return {.names = "--trace",
          .value = "FILE",
          .group = kOutput,
          .help =
              "write the step as the plan predicts it, action by action with the RAM in use, as "
              "a trace that Perfetto or about:tracing of Chromium shows",
          .completes = Completes::Files,
          .read = keep_as_text(flags.trace_path)};
}

std::vector<OptionRow> solve_option_rows(SolveFlags& flags) {
  std::vector<OptionRow> rows = search_option_rows(QuestionAsker::Solve, flags);
  rows.push_back(trace_row(flags));
  return rows;
}

std::vector<OptionRow> with_other_help(std::vector<OptionRow> rows,
                                       const std::vector<OtherHelp>& others) {
  std::vector<OptionRow> kept;
  for (OptionRow& row : rows) {
    const std::string name = names_of(row).front();
    const auto other = std::find_if(others.begin(), others.end(),
                                    [&name](const OtherHelp& one) { return one.name == name; });
    if (other != others.end() && other->help.empty()) continue;
    if (other != others.end()) row.help = std::string(other->help);
    kept.push_back(std::move(row));
  }
  return kept;
}

}  // namespace poet::cli
