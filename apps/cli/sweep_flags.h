#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/solve_flags.h"
#include "poet/ask/option_row.h"
#include "poet/ask/sweep.h"

namespace poet::cli {

inline constexpr double kSweepLeaseS = 30;

// Everything that the flags of `poet sweep` set.
struct SweepFlags {
  SolveFlags search;
  SweepRequest sweep;
  std::optional<std::int64_t> budget_count;  // --budgets
  int jobs = 0;                              // 0: as many as there are processors
  std::optional<std::string> results_path;
  std::optional<std::string> store_uri;  // a database, in place of a file
  std::string name = {};                 // of the sweep in it
  std::optional<double> lease_s;
  bool collect = false;  // what is kept, without planning anything
  std::optional<std::string> csv_path;
};

// `flags` must outlive the rows.
std::vector<OptionRow> sweep_option_rows(SweepFlags& flags);

Result<SweepFlags> read_sweep_flags(const std::vector<std::string>& arguments);

// As check_targets() of a search.
Failure check_sweep_targets(const SweepFlags& flags);

}  // namespace poet::cli
