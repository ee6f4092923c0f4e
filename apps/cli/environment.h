#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poet::cli {

// The one place that reads the environment.

// Folders in which solver libraries may lie, from GUROBI_HOME and HIGHS_HOME.
std::vector<std::string> library_directories();

// What of it a user may set, for manual pages. (What launchers of MPI set is read as well.)
struct EnvironmentVariable {
  std::string_view name;
  std::string_view what;
};
const std::vector<EnvironmentVariable>& environment_table();

// Empty when it is not set.
std::string environment_variable(const char* name);

}  // namespace poet::cli
