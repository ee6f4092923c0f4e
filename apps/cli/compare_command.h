#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/solve_flags.h"
#include "poet/ask/option_row.h"
#include "poet/base/result.h"

namespace poet::cli {

// Everything that the flags of `poet compare` set.
struct CompareFlags {
  SolveFlags search;
  std::vector<std::string> methods;
  std::optional<std::string> csv_path;
  std::optional<std::string> chart_path;
};

// `flags` must outlive the rows.
std::vector<OptionRow> compare_option_rows(CompareFlags& flags);

// The flags; refuses what names nothing to plan.
Result<CompareFlags> read_compare_flags(const std::vector<std::string>& arguments);

// The names that --methods takes.
std::vector<std::string> method_names();

int run_compare(const std::vector<std::string>& arguments);

}  // namespace poet::cli
