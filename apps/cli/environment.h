#pragma once

#include <string>
#include <vector>

namespace poet::cli {

// The one place that reads the environment: folders in which solver libraries may lie, from
// GUROBI_HOME and HIGHS_HOME.
std::vector<std::string> library_directories();

}  // namespace poet::cli
