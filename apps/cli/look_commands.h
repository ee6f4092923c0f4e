#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/answer.h"
#include "apps/cli/solve_flags.h"
#include "poet/ask/option_row.h"
#include "poet/base/time_mode.h"

namespace poet::cli {

// What the commands that look at something take.
struct LookFlags {
  Output output = Output::Text;
  std::optional<TimeMode> io;
  SolveFlags network;  // inspect: how a network is made, and on which device
  std::optional<std::string> graph_file;
  std::optional<std::string> certificate;
  std::optional<std::string> plot_directory;  // inspect
};
std::vector<OptionRow> verify_option_rows(LookFlags& flags);
std::vector<OptionRow> inspect_option_rows(LookFlags& flags);
std::vector<OptionRow> list_option_rows(LookFlags& flags);

int run_verify(const std::vector<std::string>& arguments);
int run_inspect(const std::vector<std::string>& arguments);
int run_models(const std::vector<std::string>& arguments);
int run_devices(const std::vector<std::string>& arguments);

}  // namespace poet::cli
