#pragma once

#include <string>
#include <vector>

#include "apps/cli/serve_command.h"
#include "poet/ask/option_row.h"

namespace poet::cli {

// Those of `poet serve` that a worker has as well. `flags` must outlive the rows.
std::vector<OptionRow> work_option_rows(ServeFlags& flags);

int run_work(const std::vector<std::string>& arguments);

}  // namespace poet::cli
