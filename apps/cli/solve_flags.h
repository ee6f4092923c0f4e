#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/answer.h"
#include "poet/ask/option_table.h"
#include "poet/ask/plan_request.h"

namespace poet::cli {

// Everything that the flags of `poet solve` set.
struct SolveFlags {
  PlanRequest request;
  bool print_power_costs = false;
  bool print_graph_info = false;
  bool quiet = false;
  Output output = Output::Text;
  std::optional<std::string> out_path;
  std::optional<std::string> report_path;
  std::optional<std::string> trace_path;
  std::optional<std::string> certificate_path;
  std::optional<std::string> plot_directory;
};

// The options of the question that an asker has, and what comes out of a search; writing to
// `flags`, which must outlive the rows.
std::vector<OptionRow> search_option_rows(QuestionAsker asker, SolveFlags& flags);

// A trace of what is planned, or trained.
OptionRow trace_row(SolveFlags& flags);

// Those of the latter.
std::vector<OptionRow> output_option_rows(SolveFlags& flags);

// The flags of `poet solve`.
std::vector<OptionRow> solve_option_rows(SolveFlags& flags);

// Another command's word on an option; empty: it has no such option.
struct OtherHelp {
  std::string_view name;
  std::string_view help;
};
std::vector<OptionRow> with_other_help(std::vector<OptionRow> rows,
                                       const std::vector<OtherHelp>& others);

}  // namespace poet::cli
