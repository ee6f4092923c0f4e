#include "apps/cli/environment.h"

#include <cstdlib>

namespace poet::cli {

std::vector<std::string> library_directories() {
  std::vector<std::string> directories;
  for (const char* const name : {"GUROBI_HOME", "HIGHS_HOME"}) {
    const std::string home = environment_variable(name);
    if (!home.empty()) directories.push_back(home + "/lib");
  }
  return directories;
}

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace poet::cli
