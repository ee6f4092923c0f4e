#pragma once

#include <string>
#include <vector>

namespace poet::cli {

// The one place that reads the environment.

// Folders in which solver libraries may lie, from
// GUROBI_HOME and HIGHS_HOME.
std::vector<std::string> library_directories();

// Empty when it is not set.
std::string environment_variable(const char* name);

}  // namespace poet::cli
