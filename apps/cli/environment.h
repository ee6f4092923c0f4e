#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poet::cli {

// The one place that reads the environment.

// Folders in which solver libraries may lie, from GUROBI_HOME and HIGHS_HOME.
std::vector<std::string> library_directories();

// What of the environment is looked at, for manual pages.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view what;
};
const std::vector<EnvironmentVariable>& environment_table();

// One of the table. Empty when it is not set.
std::string environment_variable(const char* name);

}  // namespace poet::cli
