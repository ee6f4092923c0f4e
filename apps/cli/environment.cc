#include "apps/cli/environment.h"

#include <cstdlib>

namespace poet::cli {

std::vector<std::string> library_directories() {
  std::vector<std::string> directories;
  for (const char* const name : {"GUROBI_HOME", "HIGHS_HOME"}) {
    const char* const home = std::getenv(name);
    if (home != nullptr && *home != '\0') directories.push_back(std::string(home) + "/lib");
  }
  return directories;
}

}  // namespace poet::cli
