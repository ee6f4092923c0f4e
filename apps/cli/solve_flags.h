#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/answer.h"
#include "apps/cli/option_row.h"
#include "poet/api/plan_request.h"

namespace poet::cli {

// Everything that the flags of `poet solve` set.
struct SolveFlags {
  PlanRequest request;
  std::optional<std::string> graph_file;
  double time_limit_s = 60;
  bool print_power_costs = false;
  bool print_graph_info = false;
  bool quiet = false;
  Output output = Output::Text;
  std::optional<std::string> out_path;
  std::optional<std::string> report_path;
  std::optional<std::string> certificate_path;
  std::optional<std::string> plot_directory;
};

// The flags of `poet solve`, writing to `flags`, which must outlive the rows.
std::vector<OptionRow> solve_option_rows(SolveFlags& flags);

// Those of them that say how a network is made and trained, without its name.
std::vector<OptionRow> network_option_rows(SolveFlags& flags);

// Another command's word on an option; empty: it has no such option.
struct OtherHelp {
  std::string_view name;
  std::string_view help;
};
std::vector<OptionRow> with_other_help(std::vector<OptionRow> rows,
                                       const std::vector<OtherHelp>& others);

// The names of the networks and of the built-in devices, for rows of several commands.
std::vector<std::string> model_names();
std::vector<std::string> platform_names();

}  // namespace poet::cli
