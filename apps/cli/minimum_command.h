#pragma once

#include <string>
#include <vector>

#include "apps/cli/solve_flags.h"
#include "poet/ask/option_row.h"

namespace poet::cli {

// The flags of `poet minimum`: those of `poet solve` where they make sense, with the help that it
// needs. Sets `flags.request.solve.gap_ratio` to 0, its default there.
std::vector<OptionRow> minimum_option_rows(SolveFlags& flags);

int run_minimum(const std::vector<std::string>& arguments);

}  // namespace poet::cli
