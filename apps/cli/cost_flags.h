#pragma once

#include <vector>

#include "apps/cli/option_row.h"
#include "apps/cli/solve_flags.h"

namespace poet::cli {

// The flags that say where the costs of a real network's operations come from, and what executes
// them.
std::vector<OptionRow> cost_option_rows(SolveFlags& flags);

}  // namespace poet::cli
