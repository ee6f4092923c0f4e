#pragma once

#include <string>
#include <vector>

#include "apps/cli/solve_flags.h"
#include "poet/ask/explain.h"
#include "poet/ask/option_row.h"

namespace poet::cli {

// Everything that the flags of `poet explain` set.
struct ExplainFlags {
  ExplainRequest request;
  SolveFlags search;  // of it: quiet, output and time limit
};
std::vector<OptionRow> explain_option_rows(ExplainFlags& flags);

int run_explain(const std::vector<std::string>& arguments);

}  // namespace poet::cli
