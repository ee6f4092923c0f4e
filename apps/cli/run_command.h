#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/export_command.h"
#include "poet/ask/option_row.h"
#include "poet/boards/board_run.h"

namespace poet::cli {

struct RunFlags {
  ExportFlags project = {};  // its out_path: where the project stays; none: it does not
  BoardRunOptions run = {};
  bool resume = false;
};

std::vector<OptionRow> run_option_rows(RunFlags& flags);

int run_run(const std::vector<std::string>& arguments);

}  // namespace poet::cli
